package dev.weir.storage.transfer.storage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.weir.storage.DataFolder;
import dev.weir.storage.StoredHash;
import dev.weir.storage.maintenance.Verification;
import dev.weir.storage.transfer.Expiry;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.TransferReport;
import dev.weir.storage.transfer.dump.DumpSource;
import dev.weir.storage.transfer.dump.DumpTarget;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/** An import in a process that is killed at random moments goes on each time and ends with the exact result. */
class KilledImportTest {
    private static final int KILLS = 4;
    private static final int HASHES = 12_000;
    private static final int MOST_BATCHES = 10;
    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long POLL_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    @TempDir
    private Path folder = Path.of("");

    /** A part that counts twice is seen here only. */
    @Test
    void anImportThatAddsEndsWithTheExactResult() throws Exception {
        killAndGoOn(Merge.ADD);
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ADD")
    void endsWithTheExactResult(Merge merge) throws Exception {
        killAndGoOn(merge);
    }

    private void killAndGoOn(Merge merge) throws Exception {
        SplittableRandom random = new SplittableRandom(merge.key().hashCode());
        Path data = folder.resolve("data");
        Path dump = folder.resolve("x.dump");
        List<StoredHash> there = ExpectedHashes.made(5, 0, HASHES / 2);
        List<StoredHash> arriving = ExpectedHashes.made(6, HASHES / 4, HASHES);
        Moves.run(Moves.of(there), StorageTarget.open(data, StoreFolder.CLOCK), Merge.MAX, Expiry.NONE, false, 1_000);
        Moves.run(Moves.of(arriving), DumpTarget.create(dump, false, StoreFolder.CLOCK, new Random(1)), Merge.MAX);
        int killed = 0;
        long furthest = HashSource.START;
        for (int i = 0; i < KILLS; i++) {
            try (KilledImport running = KilledImport.start(dump, data, merge)) {
                long least = Math.max(0, position(data, merge)) + KilledImport.BATCH * random.nextLong(1, MOST_BATCHES);
                long position = position(data, merge);
                while (running.isAlive() && position < least) {
                    LockSupport.parkNanos(POLL_NANOS);
                    position = position(data, merge);
                }
                furthest = Math.max(furthest, position);
                LockSupport.parkNanos(random.nextLong(LONGEST_NANOS));
                killed += running.isAlive() ? 1 : 0;
            }
        }
        assertThat(killed).isPositive();
        // An import that ends before its kill leaves no position, and the next one begins again.
        assertThat(furthest).isGreaterThanOrEqualTo(KilledImport.BATCH);
        TransferReport rest = Moves.run(DumpSource.open(dump), StorageTarget.open(data, StoreFolder.CLOCK), merge,
                Expiry.NONE, false, KilledImport.BATCH);
        assertThat(StoreFolder.content(data))
                .containsExactlyInAnyOrderElementsOf(ExpectedHashes.merged(there, arriving, merge));
        assertThat(Verification.of(data).damages()).isEmpty();
        System.out.printf("import: %d kills with %s, the last run read %d of %d hashes%n", killed, merge.key(),
                rest.read(), arriving.size());
    }

    /** Returns the position of the import in progress. */
    private static long position(Path data, Merge merge) throws IOException {
        Path journal = data.resolve(DataFolder.IMPORTS);
        if (!Files.exists(journal)) {
            return HashSource.START;
        }
        return Files.readAllLines(journal).stream().filter(line -> line.startsWith(merge.key()))
                .mapToLong(line -> Long.parseLong(line.split(" ", -1)[2])).findFirst().orElse(HashSource.START);
    }
}
