package dev.weir.storage.replication;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import dev.weir.model.Network;
import dev.weir.model.Update;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Folders;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.Trouble;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.log.LeaderEpoch;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.maintenance.Backup;
import dev.weir.storage.queue.Role;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.Omissions;
import dev.weir.storage.transfer.storage.StorageSource;
import dev.weir.testkit.UdpClient;
import dev.weir.wire.key.KeyPair;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Folders of a leader and its follower that are lost, emptied, or replaced by older ones: nothing is destroyed. */
@Timeout(120)
class ReplicationIdentityTest {
    private static final KeyPair FIRST = KeyPair.generate(new SecureRandom());
    private static final KeyPair SECOND = KeyPair.generate(new SecureRandom());

    @TempDir
    private Path folder = Path.of("");

    private @Nullable StorageServer first;
    private @Nullable StorageServer second;

    @AfterEach
    void close() {
        for (StorageServer server : new StorageServer[]{first, second}) {
            if (server != null) {
                server.close();
            }
        }
    }

    private Path firstFolder() {
        return folder.resolve("first");
    }

    private Path secondFolder() {
        return folder.resolve("second");
    }

    private static ReplicationSettings settings(KeyPair own, KeyPair other, boolean follows) {
        return new ReplicationSettings(own, List.of(),
                List.of(new FollowerKey("other", other.publicKey(), Feed.WHOLE, true, FollowerKey.DEFAULT_HOLD)),
                follows ? new ReplicationSettings.Upstream("127.0.0.1", 9, other.publicKey()) : null, true, 0,
                Duration.ofSeconds(5), Duration.ofMinutes(1));
    }

    private StorageServer open(Path data, ReplicationSettings settings) throws StorageException {
        StorageServer server = new StorageServer(
                StorageConfig.of(data)
                        .withBackend(BackendKind.STORE)
                        .withBind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))
                        .withAllowUpdate(List.of(Network.of("127.0.0.1"))).withReplication(settings),
                (_, own) -> question -> ask(own, question));
        server.start();
        return server;
    }

    /** Every node may ask the other one. */
    private byte[] ask(KeyPair own, byte[] question) throws IOException, InterruptedException {
        boolean asksFirst = own.publicKey().equals(SECOND.publicKey());
        StorageServer asked = asksFirst ? first : second;
        if (asked == null) {
            throw new IOException("nothing listens");
        }
        try {
            ReplicationSettings settings = settings(asksFirst ? FIRST : SECOND, own, false);
            return Message.write(node(asked).answer(settings.followers().getFirst(), Message.read(question)));
        } catch (MessageException | IllegalStateException e) {
            throw new IOException(e);
        }
    }

    private StorageServer lead() throws StorageException {
        StorageServer opened = open(firstFolder(), settings(FIRST, SECOND, false));
        first = opened;
        return opened;
    }

    private StorageServer follow() throws StorageException {
        StorageServer opened = open(secondFolder(), settings(SECOND, FIRST, true));
        second = opened;
        return opened;
    }

    private void stopFirst() {
        StorageServer running = first;
        first = null;
        if (running != null) {
            running.close();
        }
    }

    private void stopSecond() {
        StorageServer running = second;
        second = null;
        if (running != null) {
            running.close();
        }
    }

    /** A leader with some hashes, and a follower that has them. */
    private void pair(int hashes) throws Exception {
        learn(lead(), 0, hashes);
        copyAndFollow();
    }

    private void copyAndFollow() throws Exception {
        node(follow()).copyReady().get(1, TimeUnit.MINUTES);
        stopSecond();
        awaitEqual(follow());
    }

    private void awaitEqual(StorageServer follower) throws InterruptedException {
        StorageServer leader = first;
        await(() -> leader != null && follower.stats().engine().revision() == leader.stats().engine().revision()
                && follower.stats().replication().orElseThrow().troubles().isEmpty());
    }

    private static void learn(StorageServer server, int from, int until) throws IOException {
        try (UdpClient client = new UdpClient(server.addresses().getFirst())) {
            for (int i = from; i < until; i++) {
                assertThat(client.write(Samples.digest(i), 1, 5, null).isMatch()).as("learn %d", i).isTrue();
            }
        }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean() && System.nanoTime() < end) {
            Thread.sleep(5);
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    private static ReplicationNode node(StorageServer server) {
        return server.node().orElseThrow();
    }

    private static long hashes(StorageServer server) {
        return server.stats().engine().hashes();
    }

    private static List<String> troubles(StorageServer server) {
        return server.stats().replication().orElseThrow().troubles().stream().map(Trouble::toString).toList();
    }

    /** Waits until a follower says that it refuses, and returns its words. */
    private static String refusal(StorageServer server) throws InterruptedException {
        await(() -> troubles(server).stream().anyMatch(trouble -> trouble.contains("does not follow its leader")));
        return String.join("\n", troubles(server));
    }

    private List<Path> kept() throws IOException {
        Path aside = secondFolder().resolve(DataFolder.ASIDE);
        try (Stream<Path> folders = Files.exists(aside) ? Files.list(aside) : Stream.empty()) {
            return folders.sorted().toList();
        }
    }

    private static int count(Path data) throws StorageException {
        List<Object> found = new ArrayList<>();
        try (StorageSource source = StorageSource.open(data)) {
            source.read(HashSource.START, (_, hash) -> found.add(hash), new Omissions());
        }
        return found.size();
    }

    @Test
    void aLeaderThatComesBackEmptyDoesNotWipeItsFollower() throws Exception {
        pair(100);
        stopFirst();
        Folders.delete(firstFolder());
        StorageServer leader = lead();
        StorageServer follower = Objects.requireNonNull(second);
        assertThat(refusal(follower)).contains("ends with update 100", "with 0 of epoch", "weir control promote",
                "weir control follow --discard");
        assertThat(hashes(follower)).isEqualTo(100);
        assertThat(troubles(leader)).singleElement().asString().contains("a follower may have updates", "100",
                "weir control status there");
        // The operator promotes the follower, and the empty node follows it.
        node(follower).promote(false);
        assertThat(hashes(follower)).isEqualTo(100);
        assertThat(node(follower).status().part()).isEqualTo(Role.Part.LEADER);
    }

    @Test
    void anOperatorDiscardsWhatTheLeaderLacksAndItIsKept() throws Exception {
        pair(60);
        stopFirst();
        Folders.delete(firstFolder());
        learn(lead(), 100, 103);
        StorageServer follower = Objects.requireNonNull(second);
        refusal(follower);
        assertThat(node(follower).followAndDiscard()).contains("ends with update 60");
        node(follower).copyReady().get(1, TimeUnit.MINUTES);
        stopSecond();
        StorageServer again = follow();
        awaitEqual(again);
        assertThat(hashes(again)).isEqualTo(3);
        assertThat(kept()).filteredOn(path -> path.getFileName().toString().startsWith("replaced-")).singleElement()
                .satisfies(path -> assertThat(count(path)).as("what weir import reads").isEqualTo(60));
        assertThatThrownBy(() -> node(again).followAndDiscard()).hasMessageContaining("nothing is to be discarded");
    }

    @Test
    void aLeaderRestoredFromAnOlderBackupDoesNotWipeItsFollower() throws Exception {
        pair(50);
        Path backup = folder.resolve("backup");
        Backup.make(firstFolder(), backup, InstantSource.system());
        StorageServer leader = Objects.requireNonNull(first);
        learn(leader, 50, 75);
        StorageServer follower = Objects.requireNonNull(second);
        awaitEqual(follower);
        stopFirst();
        Folders.delete(firstFolder());
        Files.move(backup, firstFolder());
        StorageServer restored = lead();
        assertThat(refusal(follower)).contains("ends with update 75", "with 50 of epoch");
        assertThat(hashes(follower)).isEqualTo(75);
        // Also when the restored leader has more updates again.
        learn(restored, 1_000, 1_040);
        await(() -> troubles(follower).stream().anyMatch(trouble -> trouble.contains("with 90 of epoch")));
        assertThat(hashes(follower)).isEqualTo(75);
        stopSecond();
        StorageServer again = follow();
        assertThat(refusal(again)).contains("ends with update 75");
    }

    /** A copy of the folder, without a mark. */
    @Test
    void aLeaderRolledBackByACopyOfItsFolderDoesNotWipeItsFollower() throws Exception {
        pair(20);
        stopFirst();
        Path older = folder.resolve("older");
        copy(firstFolder(), older);
        learn(lead(), 20, 30);
        StorageServer follower = Objects.requireNonNull(second);
        awaitEqual(follower);
        stopFirst();
        Folders.delete(firstFolder());
        copy(older, firstFolder());
        learn(lead(), 500, 540);
        assertThat(refusal(follower)).contains("up to update 30, the follower has other updates");
        assertThat(hashes(follower)).isEqualTo(30);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file)));
            }
        }
    }

    @Test
    void aStaleCopyDoesNotReplaceAFolderThatHasMovedOn() throws Exception {
        pair(30);
        stopFirst();
        Folders.delete(firstFolder());
        lead();
        StorageServer follower = Objects.requireNonNull(second);
        refusal(follower);
        node(follower).followAndDiscard();
        node(follower).copyReady().get(1, TimeUnit.MINUTES);
        stopSecond();
        Path stale = folder.resolve("stale");
        Files.move(secondFolder().resolve(DataFolder.FRESH), stale);
        // Without the copy, the folder leads and goes on.
        stopFirst();
        try (StorageServer alone = open(secondFolder(), settings(SECOND, FIRST, false))) {
            learn(alone, 30, 45);
        }
        Files.move(stale, secondFolder().resolve(DataFolder.FRESH));
        StorageServer again = follow();
        assertThat(hashes(again)).isEqualTo(45);
        assertThat(troubles(again)).anyMatch(trouble -> trouble.contains("now ends with update 45")
                && trouble.contains("ended with update 30"));
        assertThat(kept()).anyMatch(path -> path.getFileName().toString().startsWith(DataFolder.FRESH));
    }

    @Test
    void aCopyWhoseNoteIsDamagedReplacesNothing() throws Exception {
        pair(10);
        Path fresh = secondFolder().resolve(DataFolder.FRESH);
        stopSecond();
        Files.createDirectories(fresh);
        // As an earlier release left it.
        Files.createFile(fresh.resolve("complete"));
        StorageServer again = follow();
        assertThat(hashes(again)).isEqualTo(10);
        assertThat(troubles(again)).anyMatch(trouble -> trouble.contains("note is damaged"));
    }

    @Test
    void aReturnedLeaderCopiesThePromotedOneAndKeepsWhatOnlyItHas() throws Exception {
        pair(40);
        stopSecond();
        StorageServer leader = Objects.requireNonNull(first);
        learn(leader, 40, 47);
        stopFirst();
        StorageServer promoted = follow();
        node(promoted).promote(false);
        learn(promoted, 100, 105);
        // It follows now, and its seven updates are not lost.
        StorageServer old = open(firstFolder(), settings(FIRST, SECOND, true));
        first = old;
        node(old).copyReady().get(1, TimeUnit.MINUTES);
        stopFirst();
        StorageServer back = open(firstFolder(), settings(FIRST, SECOND, true));
        first = back;
        await(() -> hashes(back) == 45 && troubles(back).isEmpty());
        Path aside = firstFolder().resolve(DataFolder.ASIDE);
        try (Stream<Path> folders = Files.list(aside)) {
            assertThat(folders.toList()).singleElement()
                    .satisfies(path -> assertThat(count(path)).isEqualTo(47));
        }
    }

    @Test
    void aNodeWhoseFileIsDamagedDoesNotLead() throws Exception {
        pair(5);
        stopSecond();
        StorageServer leader = Objects.requireNonNull(first);
        node(leader).tidy();
        stopFirst();
        Files.writeString(firstFolder().resolve(DataFolder.NODE), "weir node 1 fenxed - 2\n",
                StandardCharsets.US_ASCII);
        StorageServer unsure = lead();
        assertThat(node(unsure).status().part()).isEqualTo(Role.Part.FENCED);
        assertThat(troubles(unsure)).anyMatch(trouble -> trouble.contains("was lost"));
        stopFirst();
        StorageServer again = lead();
        assertThat(node(again).status().part()).as("also at the next start").isEqualTo(Role.Part.FENCED);
        node(again).promote(false);
        learn(again, 10, 11);
        stopFirst();
        Files.delete(firstFolder().resolve(DataFolder.NODE));
        assertThat(node(lead()).status().part()).as("a lost file").isEqualTo(Role.Part.FENCED);
    }

    /** The follower saw a flag that was used up, and the leader has learned it again since. */
    @Test
    void theUndoOfAFollowerRemovesOnlyWhatTheLeaderHasUsedUp() throws Exception {
        StorageServer leader = lead();
        learn(leader, 0, 2);
        try (UdpClient client = new UdpClient(leader.addresses().getFirst())) {
            assertThat(client.write(Samples.digest(1), 1, -5, null).isMatch()).isTrue();
        }
        List<LoggedUpdate> removals = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            removals.add(new LoggedUpdate(1, 0, new UpdateOrigin(InetAddress.getLoopbackAddress(), 0, 70 + i, null,
                    new UpdateSubmitter("127.0.0.1", "undo of 0", "", "undo-1")),
                    new Update.Delete(Samples.digest(i), 1)));
        }
        FollowerKey key = settings(FIRST, SECOND, false).followers().getFirst();
        Message.Batch batch = (Message.Batch) node(leader).answer(key, new Message.Pull(7,
                leader.node().orElseThrow().status().epoch(), 3,
                ((Message.Unfit) node(leader).answer(key, new Message.Pull(7, LeaderEpoch.NONE, 3, 0, 1, 0))).at()
                        .checksum(),
                1, 0));
        assertThat(node(leader).answer(key, new Message.Forward(7, batch.session(), 1, removals)))
                .isEqualTo(new Message.Outcomes(1, List.of(true, true)));
        assertThat(leader.find(Samples.digest(0))).as("learned again").isNotEmpty();
        assertThat(leader.find(Samples.digest(1))).as("used up").isEmpty();
        assertThat(leader.stats().engine().revision()).isEqualTo(4);
    }

    @Test
    void theFileOfAnEarlierReleaseIsReadOnce() throws Exception {
        pair(5);
        stopFirst();
        stopSecond();
        Files.writeString(firstFolder().resolve(DataFolder.NODE), "weir node 1 fenced - 2\n",
                StandardCharsets.US_ASCII);
        assertThat(node(lead()).status().part()).isEqualTo(Role.Part.FENCED);
        assertThat(firstFolder().resolve(DataFolder.NODE)).content(StandardCharsets.US_ASCII)
                .startsWith("weir-state node");
    }
}
