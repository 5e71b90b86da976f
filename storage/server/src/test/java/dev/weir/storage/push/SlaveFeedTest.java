package dev.weir.storage.push;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Trouble;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.push.PushIntake.Result;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static dev.weir.storage.push.PushedNode.digest;
import static org.assertj.core.api.Assertions.assertThat;

/** The side of a master, with a slave of Weir behind a transport that loses requests and answers. */
class SlaveFeedTest {
    private static final PushTransport NOWHERE = (slave, host, body, span) -> {
        throw new AssertionError("nothing is sent");
    };
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    private Path folder = Path.of("");

    private static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what).atMost(LIMIT).pollInterval(Duration.ofMillis(1)).until(condition);
    }

    private static boolean isDone(PushedNode master) {
        return master.push.status().slaves().stream().allMatch(slave -> slave.behind() == 0);
    }

    @Test
    void whatIsLeftFollowsARemoval() throws Exception {
        List<PushedUpdates> sent = new ArrayList<>();
        AtomicReference<PushedNode> slave = new AtomicReference<>();
        try (PushedNode there = PushedNode.started(folder.resolve("slave"), PushedNode.slave(Map.of()),
                (s, h, b, span) -> {
                    throw new AssertionError("nothing is sent");
                });
                PushedNode master = PushedNode.started(folder.resolve("master"), PushedNode.master("s"),
                        (s, h, body, span) -> {
                            if (read(body).revision() != 0) {
                                synchronized (sent) {
                                    sent.add(read(body));
                                }
                            }
                            return slave.get().deliver(s.name(), body, span);
                        })) {
            slave.set(there);
            long[] shingles = new long[Signature.SLOTS];
            Arrays.setAll(shingles, i -> i * 7L);
            Signature signature = Signature.of(shingles, 0);
            master.engine.apply(new Update.Write(digest(1), 1, 4, master.engine.hashes().now() / 1_000, signature))
                    .join();
            master.write(digest(1), 2, 6);
            await("the slave has both", () -> there.flags(digest(1)).equals(Map.of(1, 4L, 2, 6L)));
            master.engine.apply(new Update.Delete(digest(1), 1)).join();
            await("the slave has one", () -> isDone(master));
            assertThat(there.flags(digest(1))).isEqualTo(Map.of(2, 6L));
            PushedUpdates last;
            synchronized (sent) {
                last = sent.getLast();
            }
            assertThat(last.elements()).extracting(PushedUpdates.Element::command)
                    .containsExactly(PushedUpdates.DELETE, PushedUpdates.ADD);
            assertThat(last.elements().getLast().signature()).as("the slave of Rspamd removed the shingles as well")
                    .isEqualTo(signature);
        }
    }

    @Test
    void anUnexpectedFailureDoesNotEndTheFeed() throws Exception {
        AtomicInteger pushes = new AtomicInteger();
        try (PushedNode there = PushedNode.started(folder.resolve("slave"), PushedNode.slave(Map.of()),
                (s, h, b, span) -> {
                    throw new AssertionError("nothing is sent");
                })) {
            // The master asks it at once, and no other failure may count.
            try (PushedNode master = PushedNode.started(folder.resolve("master"), PushedNode.master("s"),
                    (s, h, body, span) -> {
                        if (read(body).revision() != 0 && pushes.getAndIncrement() == 0) {
                            throw new IllegalStateException("of the test");
                        }
                        return there.deliver(s.name(), body, span);
                    })) {
                master.write(digest(1), 1, 4);
                await("the slave has it", () -> there.flags(digest(1)).equals(Map.of(1, 4L)));
                await("the master knows", () -> isDone(master));
                assertThat(master.push.status().slaves().getFirst().failures()).isOne();
            }
        }
    }

    private static PushedUpdates read(byte[] body) {
        try {
            return PushedUpdates.read(body);
        } catch (PushException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Requests and answers get lost, both sides restart in the middle of everything, and in the end the slave has
     * exactly what the master has.
     */
    @Test
    void theSlaveHasWhatTheMasterHasWhateverGetsLost() throws Exception {
        for (long seed = 1; seed <= 2; seed++) {
            Random random = new Random(seed);
            Path here = folder.resolve("run-" + seed);
            AtomicReference<PushedNode> slave = new AtomicReference<>();
            PushTransport lossy = (s, h, body, span) -> {
                synchronized (random) {
                    int luck = random.nextInt(4);
                    if (luck == 0) {
                        throw new IOException("the request is lost");
                    }
                    PushTransport.Reply reply = slave.get().deliver(s.name(), body, span);
                    if (luck == 1) {
                        throw new IOException("the answer is lost");
                    }
                    return reply;
                }
            };
            PushSettings settings = PushedNode.slave(Map.of());
            slave.set(PushedNode.started(here.resolve("slave"), settings, lossy));
            PushedNode master = PushedNode.started(here.resolve("master"), PushedNode.master("s"), lossy);
            try {
                Random updates = new Random(seed);
                for (int i = 0; i < 200; i++) {
                    Digest digest = digest(updates.nextInt(20));
                    if (updates.nextInt(4) == 0) {
                        master.engine.apply(new Update.Delete(digest, updates.nextInt(3))).join();
                    } else {
                        master.write(digest, updates.nextInt(3), 1 + updates.nextInt(9));
                    }
                    if (updates.nextInt(60) == 0) {
                        master.close();
                        master = PushedNode.started(here.resolve("master"), PushedNode.master("s"), lossy);
                    }
                    if (updates.nextInt(60) == 0) {
                        synchronized (random) {
                            slave.get().close();
                            slave.set(PushedNode.started(here.resolve("slave"), settings, lossy));
                        }
                    }
                }
                PushedNode last = master;
                await("seed " + seed, () -> isDone(last));
                for (int i = 0; i < 20; i++) {
                    assertThat(slave.get().flags(digest(i))).as("seed %s, hash %s", seed, i)
                            .isEqualTo(master.flags(digest(i)));
                }
            } finally {
                master.close();
                slave.get().close();
            }
        }
    }

    /** A storage of an earlier version that has a later number of this name refuses, and a new master goes on above. */
    @Test
    void goesOnAboveTheNumberOfTheSlave() throws Exception {
        AtomicReference<PushedNode> slave = new AtomicReference<>();
        try (PushedNode there = PushedNode.started(folder.resolve("slave"), PushedNode.slave(Map.of()), NOWHERE);
                PushedNode master = PushedNode.started(folder.resolve("master"), PushedNode.master("s"),
                        (s, h, body, span) -> earlier(slave.get().take(s.name(), body)))) {
            slave.set(there);
            assertThat(there.take("s", new PushedUpdates(500, List.of()).write()).result()).isEqualTo(Result.APPLIED);
            master.write(digest(1), 1, 4);
            await("the slave has it", () -> isDone(master));
            assertThat(there.flags(digest(1))).isEqualTo(Map.of(1, 4L));
            assertThat(there.intake().figures().sources()).isEqualTo(Map.of("s", 501L));
            assertThat(master.push.status().slaves().getFirst().refusals()).isEqualTo(1);
        }
    }

    private static PushTransport.Reply earlier(PushIntake.Answer answer) {
        return PushTransport.Reply.of(answer.result() == Result.APPLIED ? 200 : 409, answer.revision());
    }

    /** A new master begins under a name that another storage had: what it sends was never sent before. */
    @Test
    void aNewMasterBeginsUnderTheNameOfAnotherOne() throws Exception {
        AtomicReference<PushedNode> slave = new AtomicReference<>();
        PushTransport way = (s, h, body, span) -> slave.get().deliver(s.name(), body, span);
        try (PushedNode there = PushedNode.started(folder.resolve("slave"), PushedNode.slave(Map.of()), NOWHERE)) {
            slave.set(there);
            for (int i = 1; i <= 2; i++) {
                try (PushedNode master = PushedNode.started(folder.resolve("master" + i), PushedNode.master("s"),
                        way)) {
                    master.write(digest(1), 1, 4);
                    await("the slave has it", () -> isDone(master));
                }
            }
            assertThat(there.flags(digest(1))).isEqualTo(Map.of(1, 8L));
            assertThat(there.intake().figures().gaps()).isEqualTo(1);
        }
    }

    /** The whole folder of the master comes back from a copy that is older than what the slave has. */
    @Test
    void aMasterRestoredFromAnOlderCopyStopsAndAsks() throws Exception {
        Path place = folder.resolve("master");
        AtomicReference<PushedNode> slave = new AtomicReference<>();
        PushTransport way = (s, h, body, span) -> slave.get().deliver(s.name(), body, span);
        try (PushedNode there = PushedNode.started(folder.resolve("slave"), PushedNode.slave(Map.of()), NOWHERE)) {
            slave.set(there);
            teach(place, way, 1);
            CopiedFolder.copy(place, folder.resolve("copy"));
            teach(place, way, 2);
            CopiedFolder.replace(place, folder.resolve("copy"));
            try (PushedNode master = PushedNode.started(place, PushedNode.master("s"), way)) {
                for (int i = 0; i < 50; i++) {
                    master.write(digest(i), 1, 1);
                }
                await("it stops", () -> !master.push.status().troubles().isEmpty());
                assertThat(master.push.status().troubles().getFirst().detail()).contains("restored from an older copy",
                        "docs/operate/nodes.md");
            }
            assertThat(there.flags(digest(1))).isEqualTo(Map.of(1, 1L));
            assertThat(there.flags(digest(2))).isEqualTo(Map.of(1, 1L));
            // The step of the documents: another name gets what comes from now on.
            try (PushedNode master = PushedNode.started(place, PushedNode.master("s2"), way)) {
                master.write(digest(3), 1, 5);
                await("the slave has it", () -> isDone(master));
                assertThat(master.push.status().troubles()).isEmpty();
            }
            assertThat(there.flags(digest(3))).isEqualTo(Map.of(1, 5L));
        }
    }

    @Test
    void aMasterThatLacksWhatItsSlaveHasSaysHowFarItReaches() throws Exception {
        Path place = folder.resolve("master");
        AtomicReference<PushedNode> slave = new AtomicReference<>();
        PushTransport way = (s, h, body, span) -> slave.get().deliver(s.name(), body, span);
        try (PushedNode there = PushedNode.started(folder.resolve("slave"), PushedNode.slave(Map.of()), NOWHERE)) {
            slave.set(there);
            teach(place, way, 1);
            CopiedFolder.copy(place, folder.resolve("copy"));
            teach(place, way, 2);
            CopiedFolder.replace(place, folder.resolve("copy"));
            try (PushedNode master = PushedNode.started(place, PushedNode.master("s"), way)) {
                await("it stops", () -> !master.push.status().troubles().isEmpty());
                assertThat(master.push.status().troubles().getFirst().detail()).contains(
                        "it has the updates of this storage up to 2, and this storage only those up to 1");
            }
        }
    }

    /** The log gives up old updates when its space ends. A slave of Weir would lack them in silence. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSlaveThatWasAwayForTooLongStopsOrIsTold(boolean ofWeir) throws Exception {
        LogLimits small = new LogLimits(1 << 14, 1 << 16, 0, Duration.ZERO, 0, Duration.ZERO);
        AtomicBoolean away = new AtomicBoolean();
        try (PushedNode there = PushedNode.started(folder.resolve("slave"), PushedNode.slave(Map.of()), NOWHERE)) {
            PushTransport way = (s, h, body, span) -> {
                if (away.get()) {
                    throw new IOException("it is away");
                }
                return ofWeir
                        ? there.deliver(s.name(), body, span)
                        : earlier(there.take(s.name(), body));
            };
            try (PushedNode master = PushedNode.open(folder.resolve("master"), PushedNode.master("s"), way,
                    EngineConfig.of(Duration.ofDays(90), Duration.ofSeconds(1), Acknowledge.DURABLE, small,
                            InstantSource.system()))) {
                master.push.start((_, _) -> {});
                master.write(digest(1), 1, 1);
                await("the slave has it", () -> isDone(master));
                away.set(true);
                while (master.engine.log().has(2)) {
                    for (int i = 0; i < 100; i++) {
                        master.write(digest(2), 1, 1);
                    }
                    master.engine.checkpoint().join();
                }
                away.set(false);
                if (ofWeir) {
                    await("it stops", () -> master.push.status().troubles().stream()
                            .anyMatch(trouble -> trouble.detail().contains("it was away for too long: it lacks the "
                                    + "updates 2 to ")));
                    assertThat(master.push.status().slaves().getFirst().lost()).isZero();
                    assertThat(there.flags(digest(2))).isEmpty();
                } else {
                    await("it goes on", () -> isDone(master));
                    assertThat(master.push.status().slaves().getFirst().lost()).isPositive();
                }
            }
        }
    }

    /** Store and log are those of an older copy, and the notes are not. Rspamd gets what comes from now on. */
    @Test
    void notesThatAreAheadOfTheLogDoNotCount() throws Exception {
        Path place = folder.resolve("master");
        try (PushedNode there = PushedNode.started(folder.resolve("slave"), PushedNode.slave(Map.of()), NOWHERE)) {
            PushTransport rspamd = (s, h, body, span) -> {
                there.take(s.name(), body);
                return PushTransport.Reply.of(200, -1);
            };
            teach(place, rspamd, 1);
            CopiedFolder.copy(place, folder.resolve("copy"));
            teach(place, rspamd, 2);
            teach(place, rspamd, 3);
            byte[] notes = Files.readAllBytes(place.resolve(DataFolder.PUSHES));
            CopiedFolder.replace(place, folder.resolve("copy"));
            Files.write(place.resolve(DataFolder.PUSHES), notes);
            try (PushedNode master = PushedNode.started(place, PushedNode.master("s"), rspamd)) {
                await("it says so", () -> !master.push.status().troubles().isEmpty());
                assertThat(master.push.status().troubles().getFirst().detail())
                        .contains("It may lack earlier ones, because this storage was restored or replaced");
                master.write(digest(4), 1, 1);
                await("the slave has the next one", () -> there.flags(digest(4)).equals(Map.of(1, 1L)));
            }
            assertThat(there.flags(digest(3))).isEqualTo(Map.of(1, 1L));
        }
    }

    private static void teach(Path place, PushTransport way, int digest) throws Exception {
        teach(place, PushedNode.master("s"), way, digest);
    }

    private static void teach(Path place, PushSettings settings, PushTransport way, int digest) throws Exception {
        try (PushedNode master = PushedNode.started(place, settings, way)) {
            master.write(digest(digest), 1, 1);
            await("the slave has it", () -> isDone(master));
        }
    }

    /** The whole folder of the slave comes back from an older copy: it gets again what it lacks, and nothing twice. */
    @Test
    void aSlaveRestoredFromAnOlderCopyGetsWhatItLacks() throws Exception {
        Path place = folder.resolve("slave");
        AtomicReference<PushedNode> slave = new AtomicReference<>();
        PushTransport way = (s, h, body, span) -> slave.get().deliver(s.name(), body, span);
        try (PushedNode master = PushedNode.open(folder.resolve("master"), PushedNode.master("s"), way)) {
            slave.set(PushedNode.started(place, PushedNode.slave(Map.of()), NOWHERE));
            master.push.start((_, _) -> {});
            master.write(digest(1), 1, 1);
            await("the slave has it", () -> isDone(master));
            slave.get().close();
            CopiedFolder.copy(place, folder.resolve("copy"));
            slave.set(PushedNode.started(place, PushedNode.slave(Map.of()), NOWHERE));
            master.write(digest(1), 1, 1);
            await("the slave has that as well", () -> isDone(master));
            slave.get().close();
            CopiedFolder.replace(place, folder.resolve("copy"));
            slave.set(PushedNode.started(place, PushedNode.slave(Map.of()), NOWHERE));
            assertThat(slave.get().flags(digest(1))).isEqualTo(Map.of(1, 1L));
            master.write(digest(1), 1, 1);
            await("the slave has all", () -> isDone(master) && slave.get().flags(digest(1)).equals(Map.of(1, 3L)));
            // Without its small files, the slave is in doubt, and the master does not guess.
            slave.get().close();
            Files.delete(place.resolve(DataFolder.PUSHES));
            slave.set(PushedNode.started(place, PushedNode.slave(Map.of()), NOWHERE));
            master.write(digest(1), 1, 1);
            await("it stops", () -> !master.push.status().troubles().isEmpty());
            assertThat(master.push.status().troubles().getFirst().detail()).contains("does not know what it has");
            assertThat(slave.get().push.status().troubles()).hasSize(1);
            assertThat(slave.get().flags(digest(1))).isEqualTo(Map.of(1, 3L));
        } finally {
            slave.get().close();
        }
    }

    /** What happens to the file of a stopped master. */
    enum Damage {
        LOST,
        EMPTIED,
        CUT,
        FLIPPED,
        OLDER;

        void on(Path file, byte[] older) throws IOException {
            byte[] bytes = Files.readAllBytes(file);
            switch (this) {
                case LOST -> Files.delete(file);
                case EMPTIED -> Files.write(file, new byte[0]);
                case CUT -> Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));
                case FLIPPED -> {
                    bytes[bytes.length - 12] ^= 1;
                    Files.write(file, bytes);
                }
                case OLDER -> Files.write(file, older);
            }
        }

        boolean isSeen() {
            return this == EMPTIED || this == CUT || this == FLIPPED;
        }
    }

    /** Three updates, of which the slave misses the last one. Then the file is damaged. */
    private static void teachAndDamage(Path place, PushSettings settings, PushTransport way, Damage damage)
            throws Exception {
        teach(place, settings, way, 1);
        byte[] older = Files.readAllBytes(place.resolve(DataFolder.PUSHES));
        teach(place, settings, way, 2);
        try (PushedNode master = PushedNode.started(place, settings, (name, h, body, span) -> {
            throw new IOException("the slave is away");
        })) {
            master.write(digest(3), 1, 1);
        }
        damage.on(place.resolve(DataFolder.PUSHES), older);
    }

    /** The slave says where it is, and the log of the master confirms it. */
    @ParameterizedTest
    @EnumSource
    void aMasterWithADamagedFileGoesOnWhereASlaveOfWeirIs(Damage damage) throws Exception {
        Path place = folder.resolve("master");
        PushSettings settings = PushedNode.master("s");
        AtomicReference<PushedNode> slave = new AtomicReference<>();
        PushTransport way = (s, h, body, span) -> slave.get().deliver(s.name(), body, span);
        try (PushedNode there = PushedNode.started(folder.resolve("slave"), PushedNode.slave(Map.of()), NOWHERE)) {
            slave.set(there);
            teachAndDamage(place, settings, way, damage);
            try (PushedNode master = PushedNode.started(place, settings, way)) {
                master.write(digest(4), 1, 1);
                await("the slave has all", () -> isDone(master) && there.flags(digest(4)).equals(Map.of(1, 1L)));
                assertThat(master.push.status().troubles()).extracting(Trouble::reason).isEqualTo(
                        damage.isSeen() ? List.of("the file pushes is damaged or of another storage") : List.of());
                assertThat(master.push.status().troubles()).allSatisfy(trouble -> assertThat(trouble.detail())
                        .contains("it is kept as ", "kept-aside"));
            }
            for (int i = 1; i <= 4; i++) {
                assertThat(there.flags(digest(i))).as("update %s", i).isEqualTo(Map.of(1, 1L));
            }
        }
    }

    /** Only the number counts, so what had not arrived cannot be sent again; the master says that it may be missing. */
    @ParameterizedTest
    @EnumSource
    void aMasterWithADamagedFileSendsNothingTwiceToRspamd(Damage damage) throws Exception {
        StorageConfig config = StorageConfig.of(folder.resolve("slave")).withBackend(BackendKind.STORE)
                .withBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withPush(PushedNode.slave(Map.of()));
        Path place = folder.resolve("master");
        try (StorageServer slave = new StorageServer(config); LoggedLines lines = new LoggedLines()) {
            PushSettings settings = PushedNode.master("s", slave.start().getPort());
            PushTransport rspamd = (s, h, body, span) -> {
                slave.push().orElseThrow().intake().orElseThrow().take(s.name(), PushedNode.MASTER,
                        PushedNode.PAIR.publicKey(), body, Optional.empty());
                return PushTransport.Reply.of(200, -1);
            };
            teachAndDamage(place, settings, rspamd, damage);
            lines.clear();
            try (PushedNode master = PushedNode.started(place, settings, rspamd)) {
                master.write(digest(4), 1, 1);
                if (damage == Damage.OLDER) {
                    await("it stops", () -> !master.push.status().troubles().isEmpty());
                    assertThat(master.push.status().troubles().getFirst().detail()).contains("does not apply batch 2",
                            "restored from an older copy", "docs/operate/nodes.md#when-a-mirror-stops-and-asks");
                    // The batch that the slave does not show is looked for, and not sent again as a repetition.
                    await("it tries again", () -> isDone(master)
                            || master.push.status().slaves().getFirst().failures() > 3);
                    assertThat(isDone(master)).isFalse();
                    assertThat(master.push.status().troubles()).hasSize(1);
                } else {
                    await("the slave has the last one", () -> isDone(master) && !slave.find(digest(4)).isEmpty());
                    assertThat(master.push.status().troubles()).extracting(Trouble::reason).isEqualTo(damage.isSeen()
                            ? List.of("the file pushes is damaged or of another storage", "a mirror may lack updates")
                            : List.of());
                    assertThat(lines.all()).contains(damage.isSeen()
                            ? "slave s: it gets the updates from now on. It may lack earlier ones, because the file "
                                    + "that told what it has is damaged or of another storage: copy the database "
                                    + "(docs/operate/nodes.md#cold-sync)"
                            : "If this storage has sent to it before, the notes of that are lost, and it may lack "
                                    + "updates");
                }
            }
            for (int i = 1; i <= 4; i++) {
                boolean there = i <= 2 || (i == 4 && damage != Damage.OLDER);
                assertThat(slave.find(digest(i))).as("update %s", i).extracting(FlagValue::value)
                        .isEqualTo(there ? List.of(1L) : List.of());
            }
        }
    }

    /** What the replication logs. */
    private static final class LoggedLines implements AutoCloseable {
        private final Logger logger = (Logger) LoggerFactory.getLogger(SlaveFeed.class);
        private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

        LoggedLines() {
            logger.setLevel(Level.INFO);
            logger.setAdditive(false);
            // The threads of the feeds write to it.
            appender.list = new CopyOnWriteArrayList<>();
            logger.addAppender(appender);
            appender.start();
        }

        void clear() {
            appender.list.clear();
        }

        String all() {
            return appender.list.stream().map(ILoggingEvent::getFormattedMessage).collect(Collectors.joining("\n"));
        }

        @Override
        public void close() {
            logger.detachAppender(appender);
            logger.setAdditive(true);
            logger.setLevel(null);
        }
    }

    /** The updates of one batch that was sent, and perhaps taken, are sent again under the same number. */
    @Test
    void repeatsABatchUnderItsNumberAfterARestart() throws Exception {
        List<Long> numbers = new ArrayList<>();
        AtomicInteger losses = new AtomicInteger(1_000_000);
        PushTransport once = (s, h, body, span) -> {
            if (read(body).revision() == 0) {
                return PushTransport.Reply.of(200, -1);
            }
            synchronized (numbers) {
                numbers.add(read(body).revision());
            }
            if (losses.getAndDecrement() > 0) {
                throw new IOException("the answer is lost");
            }
            return PushTransport.Reply.of(409, 1);
        };
        Path place = folder.resolve("master");
        try (PushedNode master = PushedNode.open(place, PushedNode.master("s"), once)) {
            master.write(digest(1), 1, 4);
            master.push.start((_, _) -> {});
            await("the first attempt", () -> {
                synchronized (numbers) {
                    return !numbers.isEmpty();
                }
            });
        }
        losses.set(0);
        int before;
        synchronized (numbers) {
            before = numbers.size();
        }
        try (PushedNode master = PushedNode.started(place, PushedNode.master("s"), once)) {
            await("the slave has it", () -> isDone(master));
            assertThat(master.push.status().slaves().getFirst().revision()).isEqualTo(1);
        }
        synchronized (numbers) {
            assertThat(numbers).hasSizeGreaterThan(before).containsOnly(1L);
        }
    }

    /** A slave of Rspamd answers 200 also if it refuses a batch; its checks tell the truth. */
    @Test
    void doesNotBelieveASuccessThatLeavesNothing() throws Exception {
        StorageConfig config = StorageConfig.of(folder.resolve("slave")).withBackend(BackendKind.STORE)
                .withBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withPush(PushedNode.slave(Map.of()));
        List<Long> numbers = new ArrayList<>();
        try (StorageServer slave = new StorageServer(config)) {
            int port = slave.start().getPort();
            PushTransport rspamd = (s, h, body, span) -> {
                long number = read(body).revision();
                if (number == 0) {
                    return PushTransport.Reply.of(200, -1);
                }
                synchronized (numbers) {
                    numbers.add(number);
                }
                if (number > 40) {
                    slave.push().orElseThrow().intake().orElseThrow().take(s.name(), PushedNode.MASTER,
                            PushedNode.PAIR.publicKey(), body, Optional.empty());
                }
                return PushTransport.Reply.of(200, -1);
            };
            try (PushedNode master = PushedNode.started(folder.resolve("master"), PushedNode.master("s", port),
                    rspamd)) {
                master.write(digest(1), 1, 4);
                await("the slave has it", () -> isDone(master));
                assertThat(slave.find(digest(1))).hasSize(1);
                assertThat(master.push.status().slaves().getFirst().refusals()).isPositive();
                long before = master.push.status().slaves().getFirst().unproven();
                // A hash that the slave has already proves nothing.
                master.write(digest(1), 1, 2);
                await("the slave has that as well", () -> isDone(master));
                assertThat(slave.find(digest(1)).getFirst().value()).isEqualTo(6);
                assertThat(master.push.status().slaves().getFirst().unproven()).isEqualTo(before + 1);
            }
        }
        synchronized (numbers) {
            assertThat(numbers).startsWith(1L).isSorted();
        }
    }
}
