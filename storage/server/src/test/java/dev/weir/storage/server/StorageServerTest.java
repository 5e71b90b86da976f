package dev.weir.storage.server;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Folders;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.database.sqlite.RspamdFile;
import dev.weir.storage.database.sqlite.SqliteDatabase;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.maintenance.Backup;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.server.stats.StorageStats;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.sqlite.RspamdFileTarget;
import dev.weir.testkit.UdpClient;
import dev.weir.wire.Generation;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.reply.ErrorCode;
import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

class StorageServerTest {
    @TempDir
    private @Nullable Path given;

    private Path folder = Path.of("");

    /** The test clock in seconds since the epoch. */
    private final AtomicLong now = new AtomicLong(1_800_000_000L);

    @BeforeEach
    void place() {
        folder = Objects.requireNonNull(given).resolve("data");
    }

    private StorageConfig config() {
        return StorageConfig.of(folder).withBind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))
                .withAllowUpdate(StorageConfig.loopback()).withClock(() -> Instant.ofEpochSecond(now.get()));
    }

    private static Map<Digest, List<FlagValue>> stored(Path folder) throws StorageException {
        Map<Digest, List<FlagValue>> all = new HashMap<>();
        try (SqliteDatabase backend = SqliteDatabase.open(folder.resolve(DataFolder.DATABASE))) {
            backend.load(hash -> all.put(hash.digest(), hash.flags()), done -> {});
        }
        return all;
    }

    @Test
    void checksFindAnUpdateImmediatelyAndAfterARestart() throws Exception {
        Digest digest = Samples.digest(1);
        long[] near = Samples.changed(Samples.shingles(1), 7, new SplittableRandom(2));
        for (int start = 1; start <= 2; start++) {
            try (StorageServer server = new StorageServer(config());
                    UdpClient client = new UdpClient(server.start())) {
                if (start == 1) {
                    assertThat(client.check(digest, Samples.shingles(1)).isMatch()).isFalse();
                    assertThat(client.write(digest, 3, 10, Samples.shingles(1)).isMatch()).isTrue();
                    assertThat(client.write(digest, 3, 5, Samples.shingles(1)).isMatch()).isTrue();
                    assertThat(client.write(digest, 4, 7, null).isMatch()).isTrue();
                }
                Reply exact = client.check(digest, null);
                assertThat(exact.value()).isEqualTo(15);
                assertThat(exact.flag()).isEqualTo(3);
                assertThat(exact.probability()).isEqualTo(1);
                assertThat(exact.time()).isEqualTo(now.get());
                assertThat(exact.extras()).containsExactly(new Reply.Extra(7, 4));
                Reply similar = client.check(Samples.digest(2), near);
                assertThat(similar.probability()).isEqualTo(25 / 32f);
                assertThat(similar.digest()).isEqualTo(digest.toBytes());
                assertThat(client.ask(Generation.V4, CommandCode.STAT, digest, 0, 0, null).count()).isEqualTo(1);
            }
        }
    }

    @Test
    void deleteRemovesItsFlagAndWithTheLastFlagTheHash() throws Exception {
        try (StorageServer server = new StorageServer(config());
                UdpClient client = new UdpClient(server.start())) {
            Digest digest = Samples.digest(1);
            client.write(digest, 1, 5, Samples.shingles(1));
            client.write(digest, 2, 9, null);
            assertThat(client.delete(digest, 2).isMatch()).isTrue();
            assertThat(client.check(digest, null).flag()).isEqualTo(1);
            assertThat(client.delete(digest, 77).isMatch()).isTrue();
            assertThat(client.delete(digest, 1).isMatch()).isTrue();
            assertThat(client.check(digest, Samples.shingles(1)).isMatch()).isFalse();
            assertThat(server.stats().engine().hashes()).isZero();
        }
    }

    @Test
    void deleteWithFlagZeroRemovesTheHashWithAllFlags() throws Exception {
        try (StorageServer server = new StorageServer(config());
                UdpClient client = new UdpClient(server.start())) {
            Digest digest = Samples.digest(1);
            for (int flag = 1; flag <= 5; flag++) {
                client.write(digest, flag, 5, Samples.shingles(1));
            }
            assertThat(client.delete(digest, 0).isMatch()).isTrue();
            assertThat(client.check(digest, Samples.shingles(1)).isMatch()).isFalse();
            assertThat(server.stats().engine().hashes()).isZero();
        }
    }

    @Test
    void repliesContainSevenMoreFlagsByDescendingValue() throws Exception {
        try (StorageServer server = new StorageServer(config());
                UdpClient client = new UdpClient(server.start())) {
            for (int flag = 1; flag <= 10; flag++) {
                client.write(Samples.digest(1), flag, flag * 10, null);
            }
            Reply reply = client.check(Samples.digest(1), null);
            assertThat(reply.flag()).isEqualTo(10);
            assertThat(reply.extras().stream().map(Reply.Extra::flag)).containsExactly(9, 8, 7, 6, 5, 4, 3);
        }
    }

    @Test
    void storesValuesWith64BitsAndTruncatesThemInReplies() throws Exception {
        try (StorageServer server = new StorageServer(config());
                UdpClient client = new UdpClient(server.start())) {
            client.write(Samples.digest(1), 1, Integer.MAX_VALUE, null);
            client.write(Samples.digest(1), 1, 10, null);
            Reply reply = client.check(Samples.digest(1), null);
            assertThat(reply.value()).isEqualTo(-2147483639);
            assertThat(reply.isMatch()).isTrue();
        }
        assertThat(stored(folder).get(Samples.digest(1))).containsExactly(new FlagValue(1, 2147483657L, now.get()));
    }

    @Test
    void rejectsUpdatesByDefault() throws Exception {
        try (StorageServer server = new StorageServer(config().withAllowUpdate(List.of()));
                UdpClient client = new UdpClient(server.start())) {
            assertThat(client.write(Samples.digest(1), 1, 5, null).value()).isEqualTo(ErrorCode.FORBIDDEN);
            assertThat(client.ask(Generation.V4, 200, Samples.digest(1), 1, 5, null).value())
                    .isEqualTo(ErrorCode.FORBIDDEN);
            assertThat(client.check(Samples.digest(1), null).isMatch()).isFalse();
            assertThat(server.stats().get(Counter.FORBIDDEN)).isEqualTo(2);
        }
    }

    @Test
    void refusesUnknownCommands() throws Exception {
        try (StorageServer server = new StorageServer(config());
                UdpClient client = new UdpClient(server.start())) {
            client.write(Samples.digest(1), 1, 5, null);
            for (int code : new int[]{5, 99, 100, 101, 255}) {
                Reply reply = client.ask(Generation.V4, code, Samples.digest(1), 1, 5, null);
                assertThat(reply.value()).isEqualTo(ErrorCode.UNKNOWN_COMMAND);
                assertThat(reply.isMatch()).isFalse();
            }
            assertThat(client.check(Samples.digest(1), null).value()).isEqualTo(5);
            assertThat(server.stats().engine().updates().stored()).isEqualTo(1);
        }
    }

    /**
     * Advances the test clock. The storage compares it to the monotonic clock, which stands still, so the clock is
     * trusted explicitly.
     */
    private void pass(StorageServer server, long seconds) {
        now.addAndGet(seconds);
        server.trustClock();
    }

    @Test
    void wrongClockAtStartNeitherExpiresNorAgesHashes() throws Exception {
        StorageConfig config = config().withExpire(Duration.ofDays(90));
        long right = now.get();
        try (StorageServer server = new StorageServer(config); UdpClient client = new UdpClient(server.start())) {
            client.write(Samples.digest(1), 1, 5, Samples.shingles(1));
        }
        now.set(right + Duration.ofDays(3_650).toSeconds());
        try (StorageServer server = new StorageServer(config); UdpClient client = new UdpClient(server.start())) {
            assertThat(server.stats().engine().clockDoubt()).contains("3650 days ahead");
            assertThat(server.sweep().get()).isZero();
            // This renews the hash, which must not expire it later.
            assertThat(client.check(Samples.digest(1), null).isMatch()).isTrue();
            client.write(Samples.digest(2), 1, 5, null);
            assertThat(server.find(Samples.digest(1))).isNotEmpty();
        }
        now.set(right - Duration.ofDays(10_000).toSeconds());
        try (StorageServer server = new StorageServer(config); UdpClient client = new UdpClient(server.start())) {
            assertThat(server.stats().engine().clockDoubt()).contains("behind");
            client.write(Samples.digest(3), 1, 5, null);
            now.set(right);
            server.trustClock();
            assertThat(server.stats().engine().clockDoubt()).isEmpty();
            assertThat(server.sweep().get()).isZero();
            for (int n = 1; n <= 3; n++) {
                assertThat(client.check(Samples.digest(n), null).isMatch()).isTrue();
            }
        }
        assertThat(stored(folder)).hasSize(3);
    }

    @Test
    void wrongClockAtTheFirstStartOnADatabaseExpiresNothing() throws Exception {
        long right = now.get();
        now.set(right + Duration.ofDays(3_650).toSeconds());
        List<StoredHash> hashes = List.of(stored(1, right - 30), stored(2, right),
                // Another program wrote it under a wrong clock. It must not expire the others.
                stored(3, right + Duration.ofDays(20_000).toSeconds()));
        Files.createDirectories(folder);
        Moves.run(Moves.of(hashes),
                RspamdFileTarget.create(folder.resolve(DataFolder.DATABASE), false, config().clock()), Merge.MAX);
        assertThat(folder.resolve(DataFolder.CLOCK)).doesNotExist();
        assertThat(folder.resolve(DataFolder.UPDATES)).doesNotExist();
        try (StorageServer server = new StorageServer(config().withExpire(Duration.ofDays(90)));
                UdpClient client = new UdpClient(server.start())) {
            assertThat(server.stats().engine().clockDoubt()).contains("3650 days ahead");
            assertThat(server.sweep().get()).isZero();
            assertThat(client.check(Samples.digest(1), null).isMatch()).isTrue();
        }
        assertThat(stored(folder)).hasSize(3);
    }

    private static StoredHash stored(int n, long time) {
        return new StoredHash(Samples.digest(n), List.of(new FlagValue(1, 5, time)), Samples.signature(n));
    }

    /** The backup has a hash whose time is wrong because the storage learned it under the wrong clock. */
    @ParameterizedTest
    @EnumSource(BackendKind.class)
    void wrongClockAtTheFirstStartOnABackupExpiresNothing(BackendKind kind) throws Exception {
        StorageConfig config = config().withBackend(kind).withExpire(Duration.ofDays(90));
        Path backup = folder.resolveSibling("backup");
        try (StorageServer server = new StorageServer(config); UdpClient client = new UdpClient(server.start())) {
            client.write(Samples.digest(1), 1, 5, null);
            now.addAndGet(Duration.ofDays(3_650).toSeconds());
            client.write(Samples.digest(2), 1, 5, null);
            Backup.make(folder, backup, config.clock());
        }
        folder = backup;
        try (StorageServer server = new StorageServer(config().withBackend(kind).withExpire(Duration.ofDays(90)))) {
            server.start();
            assertThat(server.stats().engine().clockDoubt()).contains("days ahead");
            assertThat(server.sweep().get()).isZero();
            assertThat(server.stats().engine().hashes()).isEqualTo(2);
        }
    }

    @Test
    void hashesExpireOneSecondAfterTheExpiryTimeAndAreSwept() throws Exception {
        try (StorageServer server = new StorageServer(config().withExpire(Duration.ofSeconds(3)));
                UdpClient client = new UdpClient(server.start())) {
            client.write(Samples.digest(1), 1, 5, Samples.shingles(1));
            client.write(Samples.digest(1), 2, 9, null);
            client.write(Samples.digest(2), 1, 1, null);
            client.write(Samples.digest(4), 2, 1, null);
            pass(server, 2);
            client.write(Samples.digest(1), 1, 1, null);
            pass(server, 1);
            // This hash is matched at an age of three seconds, so it is renewed.
            assertThat(client.check(Samples.digest(4), null).flag()).isEqualTo(2);
            client.delete(Samples.digest(99), 1);
            pass(server, 1);
            // Now flag 2 and digest 2 are four seconds old, and flag 1 is two seconds old.
            assertThat(client.check(Samples.digest(1), null).flag()).isEqualTo(1);
            assertThat(client.check(Samples.digest(1), null).extras()).isEmpty();
            assertThat(client.check(Samples.digest(2), null).isMatch()).isFalse();
            assertThat(client.check(Samples.digest(4), null).isMatch()).isTrue();
            // This update follows the renewals in the queue, so its reply shows that they are applied.
            client.delete(Samples.digest(99), 1);
            assertThat(server.stats().engine().hashes()).isEqualTo(3);
            // An operator set the time, so the match of digest 1 neither removed flag 2 nor revived it.
            assertThat(server.stats().engine().updates().expired()).isZero();
            assertThat(server.sweep().get()).isEqualTo(2);
            assertThat(server.stats().engine().hashes()).isEqualTo(2);
            pass(server, 10);
            assertThat(client.check(Samples.digest(9), Samples.shingles(1)).isMatch()).isFalse();
            assertThat(server.sweep().get()).isEqualTo(2);
        }
        assertThat(stored(folder)).isEmpty();
    }

    @Test
    void expiryTimeOfZeroKeepsAllHashes() throws Exception {
        try (StorageServer server = new StorageServer(config().withExpire(Duration.ZERO));
                UdpClient client = new UdpClient(server.start())) {
            client.write(Samples.digest(1), 1, 5, null);
            now.addAndGet(1_000_000_000L);
            assertThat(server.sweep().get()).isZero();
            assertThat(client.check(Samples.digest(1), null).isMatch()).isTrue();
        }
    }

    @Test
    void answersFromAnRspamdDatabase() throws Exception {
        Files.createDirectories(folder);
        RspamdFile.copyTo(folder);
        now.set(RspamdFile.WRITTEN);
        try (StorageServer server = new StorageServer(config());
                UdpClient client = new UdpClient(server.start())) {
            assertThat(client.check(RspamdFile.digest(2), null).value()).isEqualTo(15);
            assertThat(client.check(RspamdFile.digest(5), null).isMatch()).isFalse();
            // Digest 2 owns 22 slots in the file; digest 3 took the other 10.
            Reply similar = client.check(Samples.digest(1), RspamdFile.shingles(2));
            assertThat(similar.digest()).isEqualTo(RspamdFile.digest(2).toBytes());
            assertThat(similar.probability()).isEqualTo(22 / 32f);
            // Digest 8 took 20 slots from digest 7, so the shingles of 7 match 8, as in Rspamd.
            assertThat(client.check(Samples.digest(1), RspamdFile.shingles(7)).digest())
                    .isEqualTo(RspamdFile.digest(8).toBytes());
            assertThat(client.write(RspamdFile.digest(2), 3, 1, RspamdFile.shingles(2)).isMatch()).isTrue();
            assertThat(client.check(Samples.digest(1), RspamdFile.shingles(2)).probability()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void concurrentClientsLoseNoUpdates(int workers) throws Exception {
        int clients = 4;
        int updates = 150;
        try (StorageServer server = new StorageServer(config().withWorkers(workers))) {
            InetSocketAddress address = server.start();
            try (ExecutorService pool = Executors.newFixedThreadPool(clients)) {
                List<Future<Integer>> results = new ArrayList<>();
                for (int c = 0; c < clients; c++) {
                    int flag = c + 1;
                    results.add(pool.submit(() -> learn(address, flag, updates)));
                }
                for (Future<Integer> result : results) {
                    assertThat(result.get()).isEqualTo(updates);
                }
            }
            StorageStats stats = server.stats();
            assertThat(stats.engine().updates().stored()).isEqualTo((long) clients * updates);
            assertThat(stats.engine().updates().syncs()).isLessThanOrEqualTo(stats.engine().updates().stored());
            assertThat(stats.engine().queued()).isZero();
            try (UdpClient client = new UdpClient(address)) {
                Reply reply = client.check(Samples.digest(0), null);
                assertThat(reply.value()).isEqualTo(updates);
                assertThat(reply.extras()).hasSize(clients - 1);
            }
        }
    }

    private static int learn(InetSocketAddress address, int flag, int updates) throws IOException {
        int acknowledged = 0;
        try (UdpClient client = new UdpClient(address)) {
            for (int i = 0; i < updates; i++) {
                if (client.write(Samples.digest(0), flag, 1, null).isMatch()) {
                    acknowledged++;
                }
                assertThat(client.check(Samples.digest(0), null).isMatch()).isTrue();
            }
        }
        return acknowledged;
    }

    @Test
    void closeStoresAndAnswersAcceptedUpdates() throws Exception {
        int sent = 400;
        int answered = 0;
        StorageServer server = new StorageServer(config());
        try (UdpClient client = new UdpClient(server.start(), "127.0.0.1", 500)) {
            for (int i = 0; i < sent; i++) {
                client.send(Generation.V3, CommandCode.WRITE, Samples.digest(i), 1, 1, Samples.shingles(i));
            }
            assertThat(client.receive().orElseThrow().isMatch()).isTrue();
            answered++;
            server.close();
            try {
                while (true) {
                    assertThat(client.receive().orElseThrow().isMatch()).isTrue();
                    answered++;
                }
            } catch (SocketTimeoutException everythingReceived) {
                assertThat(answered).isPositive();
            }
        }
        assertThat(stored(folder)).hasSize(answered);
        assertThat(folder.resolve("fuzzy.db-wal")).doesNotExist();
        assertThat(server.stopped()).isCompleted();
        server.close();
        assertThatIllegalStateException().isThrownBy(server::start);
    }

    @Test
    void lockedDatabaseBlocksNeitherUpdatesNorChecks() throws Exception {
        try (StorageServer server = new StorageServer(config());
                UdpClient client = new UdpClient(server.start())) {
            client.write(Samples.digest(1), 1, 5, null);
            server.sync().get();
            try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("fuzzy.db"));
                    Statement statement = other.createStatement()) {
                statement.execute("BEGIN IMMEDIATE");
                assertThat(client.write(Samples.digest(1), 1, 6, null).isMatch()).isTrue();
                assertThat(client.write(Samples.digest(2), 1, 1, Samples.shingles(2)).isMatch()).isTrue();
                assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> server.sync().get())
                        .withMessageContaining("locked");
                assertThat(client.check(Samples.digest(1), null).value()).isEqualTo(11);
                assertThat(server.stats().engine().unmirrored()).contains(2L);
                assertThat(server.stats().engine().troubles()).singleElement().satisfies(trouble -> {
                    assertThat(trouble.reason()).isEqualTo("the mirror is not up to date");
                    assertThat(trouble.detail()).contains("locked");
                });
            }
            server.sync().get();
            assertThat(server.stats().engine().troubles()).isEmpty();
            assertThat(server.stats().engine().pending()).isZero();
            assertThat(server.stats().engine().unmirrored()).contains(0L);
        }
        assertThat(stored(folder)).hasSize(2);
    }

    @Test
    void reportsAFullDiskFromTheStartUntilThereIsRoomAgain() throws Exception {
        LogLimits most = LogLimits.DEFAULT;
        LogLimits none = new LogLimits(most.segmentBytes(), most.maxBytes(), Long.MAX_VALUE / 2, most.retain(),
                most.retainBytes(), most.repeats());
        try (StorageServer server = new StorageServer(config().withLog(none))) {
            server.start();
            assertThat(server.stats().engine().refusing()).isTrue();
            assertThat(server.stats().engine().troubles()).singleElement().satisfies(trouble -> {
                assertThat(trouble.reason()).isEqualTo("updates are refused: the disk has too little room");
                assertThat(trouble.detail()).startsWith("the disk has less than ");
            });
        }
        LogLimits small = new LogLimits(4_096, 8_192, 0, Duration.ZERO, 0, LogLimits.REPEATS);
        // Without a mirror, which could fall behind such a short log.
        try (StorageServer server = new StorageServer(
                config().withBackend(BackendKind.STORE).withLog(small).withSync(Duration.ofHours(1)));
                UdpClient client = new UdpClient(server.start())) {
            server.sync().get();
            int sent = 0;
            while (client.write(Samples.digest(sent), 1, 5, Samples.shingles(sent)).isMatch()) {
                sent++;
            }
            assertThat(server.stats().engine().refusing()).isTrue();
            server.sync().get();
            now.addAndGet(5);
            // No update arrives meanwhile; the storage polls the free space.
            await("room is seen").atMost(Duration.ofMinutes(1)).until(() -> !server.stats().engine().refusing());
            assertThat(server.stats().engine().troubles()).isEmpty();
            assertThat(client.write(Samples.digest(sent), 1, 5, null).isMatch()).isTrue();
        }
    }

    @Test
    void requestsBeforeTheServerAnswersWait() throws Exception {
        try (StorageServer server = new StorageServer(config())) {
            server.open();
            try (UdpClient client = new UdpClient(server.addresses().getFirst())) {
                client.send(Generation.V4, CommandCode.PING, Samples.digest(1), 0, 0, null);
                assertThat(server.stats().get(Counter.RECEIVED)).isZero();
                server.answer();
                assertThat(client.receive().orElseThrow().isMatch()).isTrue();
            }
            server.answer();
        }
    }

    @Test
    void serverThatNeverAnsweredCanBeStopped() throws Exception {
        try (StorageServer server = new StorageServer(config());
                UdpClient client = new UdpClient(server.start())) {
            assertThat(client.write(Samples.digest(1), 1, 5, null).isMatch()).isTrue();
        }
        StorageServer server = new StorageServer(config());
        server.open();
        server.close();
        assertThat(server.stopped()).isCompleted();
        // After a signal during the start, the remaining steps of the start do nothing.
        server.answer();
        assertThat(stored(folder)).hasSize(1);
    }

    /** A draining stop waits even while another program locks the database. */
    @Test
    void drainingStopWaitsForTheDatabase() throws Exception {
        StorageServer server = new StorageServer(config());
        try (UdpClient client = new UdpClient(server.start());
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
                Connection other = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("fuzzy.db"));
                Statement statement = other.createStatement()) {
            server.sync().get();
            statement.execute("BEGIN IMMEDIATE");
            assertThat(client.write(Samples.digest(1), 1, 5, null).isMatch()).isTrue();
            CompletableFuture<Long> waiting = new CompletableFuture<>();
            Future<?> stop = executor.submit(() -> server.stop(true, waiting::complete));
            assertThat(waiting.get()).isOne();
            assertThat(stop.isDone()).isFalse();
            statement.execute("ROLLBACK");
            stop.get();
        }
        assertThat(stored(folder)).hasSize(1);
        assertThat(folder.resolve(DataFolder.MIRRORED)).exists();
    }

    /** The next start applies the updates that remain in the log. */
    @Test
    void defaultStopLeavesUpdatesInTheLogIfTheDatabaseIsLocked() throws Exception {
        StorageServer server = new StorageServer(config());
        try (UdpClient client = new UdpClient(server.start());
                Connection other = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("fuzzy.db"));
                Statement statement = other.createStatement()) {
            server.sync().get();
            statement.execute("BEGIN IMMEDIATE");
            assertThat(client.write(Samples.digest(1), 1, 5, null).isMatch()).isTrue();
            server.close();
        }
        assertThat(stored(folder)).isEmpty();
        StorageServer next = new StorageServer(config());
        next.start();
        next.stop(true, _ -> {});
        assertThat(stored(folder)).hasSize(1);
    }

    @Test
    void repeatedRequestCountsOnceEvenAfterARestart() throws Exception {
        StorageServer first = new StorageServer(config());
        try (UdpClient client = new UdpClient(first.start())) {
            byte[] datagram = client.request(Generation.V4, CommandCode.WRITE, Samples.digest(1), 1, 5, null);
            for (int i = 0; i < 3; i++) {
                client.sendRaw(datagram);
                assertThat(client.receive().orElseThrow().isMatch()).isTrue();
            }
            assertThat(client.check(Samples.digest(1), null).value()).isEqualTo(5);
            assertThat(first.stats().engine().updates().repeated()).isEqualTo(2);
            first.close();
            try (StorageServer second = new StorageServer(config())) {
                client.turnTo(second.start());
                client.sendRaw(datagram);
                assertThat(client.receive().orElseThrow().isMatch()).isTrue();
                assertThat(client.check(Samples.digest(1), null).value()).isEqualTo(5);
                // A request with another tag is a separate request.
                assertThat(client.write(Samples.digest(1), 1, 5, null).isMatch()).isTrue();
                assertThat(client.check(Samples.digest(1), null).value()).isEqualTo(10);
                // The repeated request is recognized even after the clock has moved.
                now.addAndGet(60);
                client.sendRaw(datagram);
                assertThat(client.receive().orElseThrow().isMatch()).isTrue();
                assertThat(client.check(Samples.digest(1), null).value()).isEqualTo(10);
            }
        }
    }

    @Test
    void strongMatchPostponesExpiryOfDigestAndShingles() throws Exception {
        try (StorageServer server = new StorageServer(config().withExpire(Duration.ofMinutes(4)));
                UdpClient client = new UdpClient(server.start())) {
            client.write(Samples.digest(1), 1, 5, Samples.shingles(1));
            client.write(Samples.digest(2), 1, 5, Samples.shingles(2));
            long[] weak = Samples.changed(Samples.shingles(2), 4, new SplittableRandom(1));
            pass(server, 200);
            long[] strong = Samples.changed(Samples.shingles(1), 3, new SplittableRandom(1));
            assertThat(client.check(Samples.digest(9), strong).digest()).isEqualTo(Samples.digest(1).toBytes());
            assertThat(client.check(Samples.digest(9), weak).digest()).isEqualTo(Samples.digest(2).toBytes());
            // This update follows the renewal in the queue, so its reply shows that it is applied.
            client.write(Samples.digest(3), 1, 1, null);
            assertThat(server.stats().engine().updates().refreshed()).isEqualTo(1);
            pass(server, 100);
            assertThat(server.sweep().get()).isEqualTo(1);
            assertThat(client.check(Samples.digest(2), Samples.shingles(2)).isMatch()).isFalse();
            Reply renewed = client.check(Samples.digest(9), Samples.shingles(1));
            assertThat(renewed.digest()).isEqualTo(Samples.digest(1).toBytes());
        }
        assertThat(stored(folder).keySet()).containsExactlyInAnyOrder(Samples.digest(1), Samples.digest(3));
        try (StorageServer server = new StorageServer(config().withExpire(Duration.ofMinutes(4)));
                UdpClient client = new UdpClient(server.start())) {
            // The hash is 500 seconds old and was renewed 200 seconds ago, before the restart. This check renews it
            // again.
            pass(server, 200);
            assertThat(client.check(Samples.digest(1), null).isMatch()).isTrue();
            client.delete(Samples.digest(99), 1);
            pass(server, 241);
            assertThat(client.check(Samples.digest(1), null).isMatch()).isFalse();
        }
    }

    @Test
    void rejectsALogWithoutItsStore() throws Exception {
        try (StorageServer server = new StorageServer(config()); UdpClient client = new UdpClient(server.start())) {
            client.write(Samples.digest(1), 1, 5, null);
        }
        Files.delete(folder.resolve("fuzzy.db"));
        Folders.delete(folder.resolve(DataFolder.STORE));
        try (StorageServer server = new StorageServer(config())) {
            assertThatExceptionOfType(StorageException.class).isThrownBy(server::start)
                    .withMessageContaining("manifest is missing").withMessageContaining("updates");
        }
    }

    @Test
    void rejectsASecondStorageInTheSameFolder() throws Exception {
        try (StorageServer first = new StorageServer(config()); StorageServer second = new StorageServer(config())) {
            first.start();
            assertThatExceptionOfType(StorageException.class).isThrownBy(second::start)
                    .withMessageContaining("another weir is using").withMessageContaining(folder.toString());
        }
        try (StorageServer third = new StorageServer(config())) {
            assertThat(third.start().getPort()).isPositive();
        }
    }

    @Test
    void failsToStartOnAPortInUseAndLeavesNothingOpen() throws Exception {
        try (DatagramSocket taken = new DatagramSocket(
                new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))) {
            StorageConfig config = config().withBind((InetSocketAddress) taken.getLocalSocketAddress());
            try (StorageServer server = new StorageServer(config)) {
                assertThatExceptionOfType(StorageException.class).isThrownBy(server::start)
                        .withMessageContaining("cannot listen on 127.0.0.1 port " + taken.getLocalPort());
            }
        }
        try (StorageServer server = new StorageServer(config())) {
            assertThat(server.start().getPort()).isPositive();
        }
    }

    @Test
    void workersShareAnAddressOnlyWithEachOther() throws Exception {
        StorageConfig config = config().withWorkers(2);
        try (StorageServer first = new StorageServer(config)) {
            InetSocketAddress address = first.start();
            StorageConfig other = StorageConfig.of(folder.resolve("other")).withBind(address).withWorkers(2);
            try (StorageServer second = new StorageServer(other)) {
                assertThatExceptionOfType(StorageException.class).isThrownBy(second::start)
                        .withMessageContaining("cannot listen on");
            }
            try (UdpClient client = new UdpClient(address)) {
                assertThat(client.check(Samples.digest(1), null).isMatch()).isFalse();
            }
        }
    }

    @Test
    void rejectsAFileInPlaceOfTheDataFolder() throws Exception {
        Files.writeString(folder, "a file");
        try (StorageServer server = new StorageServer(config())) {
            assertThatExceptionOfType(StorageException.class).isThrownBy(server::start)
                    .withMessageContaining(folder.toString()).withMessageContaining("there is a file of that name");
        }
    }

    @Test
    void countsAndDropsMalformedRequests() throws Exception {
        try (StorageServer server = new StorageServer(config());
                UdpClient client = new UdpClient(server.start())) {
            byte[] box = new byte[160];
            System.arraycopy(new byte[]{0x72, 0x73, 0x66, 0x65}, 0, box, 0, 4);
            byte[] shingles = new byte[76];
            shingles[0] = 4;
            shingles[2] = 32;
            byte[] extension = new byte[77];
            extension[0] = 4;
            extension[76] = 'x';
            byte[] longer = new byte[77];
            longer[0] = 3;
            for (byte[] datagram : List.of(new byte[0], new byte[75], new byte[76], box, shingles, extension, longer)) {
                client.sendRaw(datagram);
            }
            // The next reply is that of the ping, because the other requests are not answered.
            assertThat(client.ask(Generation.V4, CommandCode.PING, Samples.digest(1), 1, 77, null).value())
                    .isEqualTo(77);
            // A reply is counted after it is sent, so the second reply shows that the first is counted.
            client.ask(Generation.V4, CommandCode.PING, Samples.digest(1), 1, 77, null);
            StorageStats stats = server.stats();
            assertThat(stats.get(Counter.RECEIVED)).isEqualTo(9);
            assertThat(stats.dropped()).isEqualTo(7);
            assertThat(Arrays.stream(Counter.values()).filter(Counter::isDrop).filter(c -> stats.get(c) > 0))
                    .containsExactly(Counter.DROPPED_TOO_SHORT, Counter.DROPPED_VERSION, Counter.DROPPED_LENGTH,
                            Counter.DROPPED_SHINGLES, Counter.DROPPED_EXTENSION, Counter.DROPPED_NO_KEY);
            assertThat(stats.get(Counter.ANSWERED)).isBetween(1L, 2L);
        }
    }

    @Test
    void listensOnIpv6() throws Exception {
        StorageConfig config = config().withBind(new InetSocketAddress(InetAddress.ofLiteral("::1"), 0));
        try (StorageServer server = new StorageServer(config);
                UdpClient client = new UdpClient(server.start(), "::1", 10_000)) {
            assertThat(client.write(Samples.digest(1), 1, 5, null).isMatch()).isTrue();
            assertThat(client.check(Samples.digest(1), null).value()).isEqualTo(5);
        }
    }
}
