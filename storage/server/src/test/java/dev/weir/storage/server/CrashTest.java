package dev.weir.storage.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

import dev.weir.storage.DataFolder;
import dev.weir.storage.Samples;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.storage.transfer.mirror.MirrorComparison;
import dev.weir.testkit.UdpClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Several clients learn at full speed into a real process that is killed (SIGKILL) at random moments: while it writes
 * its log, while it begins a segment, while it writes its store or its mirror, while its disk is full or its database
 * locked. After a restart every learn that was acknowledged is there with its exact value. The profile {@code peers}
 * kills more often and runs the cases that are slow.
 */
@Tag("seeds")
class CrashTest {
    private static final int ROUNDS = Integer.getInteger("weir.crash.rounds", 1);
    private static final long SEED = Long.getLong("weir.crash.seed", 20_260_101L);

    @TempDir
    private @Nullable Path folder;

    private Path data() {
        return Objects.requireNonNull(folder).resolve("data");
    }

    @Test
    void whatWasAcknowledgedSurvivesTheKill() throws Exception {
        killAgainAndAgain(Acknowledge.DURABLE, BackendKind.SQLITE, new SplittableRandom(SEED));
    }

    /** Most kills find a checkpoint under way. */
    @Test
    void whatWasAcknowledgedSurvivesTheKillWithoutAMirror() throws Exception {
        killAgainAndAgain(Acknowledge.DURABLE, BackendKind.STORE, new SplittableRandom(SEED + 4));
    }

    @Test
    @Tag("slow")
    void whatWasAcknowledgedAsQueuedSurvivesTheKillWithoutAMirror() throws Exception {
        killAgainAndAgain(Acknowledge.QUEUED, BackendKind.STORE, new SplittableRandom(SEED + 5));
    }

    /** The operating system has it, and goes on. Most kills find a segment that was just begun. */
    @Test
    @Tag("slow")
    void whatWasAcknowledgedAsQueuedSurvivesTheKill() throws Exception {
        killAgainAndAgain(Acknowledge.QUEUED, BackendKind.SQLITE, new SplittableRandom(SEED + 3));
    }

    private void killAgainAndAgain(Acknowledge acknowledge, BackendKind backend, SplittableRandom random)
            throws Exception {
        Learners learners = new Learners();
        for (int round = 0; round < ROUNDS; round++) {
            // From a mirror that is always behind to one that is written to all the time; from segments of a dozen
            // learns to ones that no round fills.
            long sync = 1L << random.nextInt(12);
            int segment = 8_192 << random.nextInt(8);
            try (CrashingServer server = CrashingServer.start(List.of(), data(), sync, segment, acknowledge, backend)) {
                learners.verify(server.address());
                long moment = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(random.nextInt(400_000));
                long least = learners.acknowledged() + 1;
                learners.learnUntilKilled(server, random,
                        () -> System.nanoTime() >= moment && learners.acknowledged() >= least);
            }
        }
        try (CrashingServer server = CrashingServer.start(List.of(), data(), 1_000, 65_536, Acknowledge.DURABLE,
                backend)) {
            learners.verify(server.address());
        }
        if (backend == BackendKind.SQLITE) {
            checkMirror();
        }
        System.out.printf("crash: %d kills, %d learns acknowledged as %s with %s, all there%n", ROUNDS,
                learners.acknowledged(), acknowledge, backend);
        assertThat(learners.refused()).isZero();
    }

    /** A stop after the kills leaves a mirror with the same hashes. */
    private void checkMirror() throws Exception {
        try (StorageServer server = new StorageServer(StorageConfig.of(data())
                .withBind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0)))) {
            server.start();
        }
        assertThat(MirrorComparison.mirrorIn(data())).isPresent();
        assertThat(MirrorComparison.run(data(), data().resolve(DataFolder.DATABASE))).isEmpty();
    }

    @Test
    @Tag("slow")
    void whatWasAcknowledgedSurvivesTheKillWhileTheMirrorIsLocked() throws Exception {
        SplittableRandom random = new SplittableRandom(SEED + 1);
        Learners learners = new Learners();
        int rounds = Math.max(1, ROUNDS / 4);
        for (int round = 0; round < rounds; round++) {
            try (CrashingServer server = CrashingServer.start(List.of(), data(), 5, 65_536)) {
                learners.verify(server.address());
                try (Connection other = DriverManager
                        .getConnection("jdbc:sqlite:" + data().resolve(DataFolder.DATABASE));
                        Statement statement = other.createStatement()) {
                    statement.execute("PRAGMA busy_timeout = 20000");
                    statement.execute("BEGIN EXCLUSIVE");
                    long enough = learners.acknowledged() + 500;
                    learners.learnUntilKilled(server, random, () -> learners.acknowledged() >= enough);
                }
            }
        }
        try (CrashingServer server = CrashingServer.start(List.of(), data(), 5, 65_536)) {
            learners.verify(server.address());
        }
        assertThat(learners.refused()).isZero();
    }

    /** A learn that cannot be written is refused, also where it would only be queued. */
    @Test
    @Tag("slow")
    void whatWasAcknowledgedAsQueuedSurvivesTheKillOnAFullDisk() throws Exception {
        killOnAFullDisk(Acknowledge.QUEUED);
    }

    @Test
    @Tag("slow")
    void whatWasAcknowledgedSurvivesTheKillOnAFullDisk() throws Exception {
        killOnAFullDisk(Acknowledge.DURABLE);
    }

    private void killOnAFullDisk(Acknowledge acknowledge) throws Exception {
        SplittableRandom random = new SplittableRandom(SEED + 2);
        Learners learners = new Learners();
        int rounds = Math.max(2, ROUNDS / 4);
        try (SmallDisk disk = SmallDisk.mount(Objects.requireNonNull(folder), 24)) {
            Path there = disk.folder().resolve("data");
            for (int round = 0; round < rounds; round++) {
                try (CrashingServer server = CrashingServer.start(disk.inside(), there, 20, 65_536, acknowledge)) {
                    learners.verify(server.address());
                    long before = learners.refused();
                    disk.fill();
                    // A learn is refused at last, not only acknowledged ever more slowly; and checks still go.
                    learners.learnUntilKilled(server, random, () -> learners.refused() >= before + 20);
                }
                disk.free();
            }
            try (CrashingServer server = CrashingServer.start(disk.inside(), there, 20, 65_536, acknowledge)) {
                learners.verify(server.address());
                // Room again: learns are taken again.
                try (UdpClient client = new UdpClient(server.address())) {
                    assertThat(client.write(Samples.digest(1_000_000), 1, 5, null).isMatch()).isTrue();
                }
            }
        }
        System.out.printf("full disk: %d kills, %d acknowledged, %d refused%n", rounds, learners.acknowledged(),
                learners.refused());
        assertThat(learners.acknowledged()).isPositive();
    }

    /** A start that finds no room says so, or serves checks; either way nothing is lost. */
    @Test
    @Tag("slow")
    void aStartOnAFullDiskLosesNothing() throws Exception {
        Learners learners = new Learners();
        try (SmallDisk disk = SmallDisk.mount(Objects.requireNonNull(folder), 24)) {
            Path there = disk.folder().resolve("data");
            try (CrashingServer server = CrashingServer.start(disk.inside(), there, 3_600_000, 65_536)) {
                learners.learnUntilKilled(server, new SplittableRandom(3), () -> learners.acknowledged() >= 50);
            }
            disk.fill();
            String outcome = "serves checks";
            try (CrashingServer server = CrashingServer.start(disk.inside(), there, 20, 65_536)) {
                learners.verify(server.address());
            } catch (IOException e) {
                // A storage that started and then gave no answer is no start that says why.
                assertThat(e).hasMessageStartingWith(CrashingServer.NO_START).hasMessageContaining("failed")
                        .hasMessageContaining("disk");
                outcome = "is refused";
            }
            disk.free();
            try (CrashingServer server = CrashingServer.start(disk.inside(), there, 20, 65_536)) {
                learners.verify(server.address());
            }
            System.out.printf("full disk: a start %s, %d acknowledged%n", outcome, learners.acknowledged());
        }
        assertThat(learners.acknowledged()).isGreaterThanOrEqualTo(50);
    }
}
