package dev.weir.storage.transfer;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

import dev.weir.model.FlagValue;
import dev.weir.storage.Samples;
import dev.weir.storage.StoredHash;
import dev.weir.storage.transfer.dump.DumpSource;
import dev.weir.storage.transfer.dump.DumpTarget;
import dev.weir.storage.transfer.sqlite.RspamdFileTarget;
import dev.weir.storage.transfer.sqlite.SqliteSource;
import dev.weir.storage.transfer.storage.StorageSource;
import dev.weir.storage.transfer.storage.StorageTarget;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The measurement of docs/operate/moving.md: a million hashes with 32 shingles each, into an empty folder, from a file
 * of Rspamd and from a dump. {@code -Dweir.moving.hashes=N} takes another number.
 */
@Tag("long")
class MillionHashesTest {
    private static final long HASHES = Long.getLong("weir.moving.hashes", 1_000_000);
    private static final Duration GOAL = Duration.ofMinutes(3);

    private static StoredHash hash(long n) {
        return new StoredHash(Samples.digest(n), List.of(new FlagValue((int) (n % 20) + 1, n % 100, 1_700_000_000 + n)),
                Samples.signature(n));
    }

    private static TransferReport run(HashSource source, HashTarget target) throws Exception {
        try (source; target) {
            return new Transfer(source, target, Merge.MAX, Expiry.NONE, false).run(new Moves.Quiet());
        }
    }

    @Test
    void importsAFileOfRspamdInTime(@TempDir Path folder) throws Exception {
        Path rspamd = folder.resolve("rspamd.db");
        TransferReport made = run(new ListSource(HASHES, 1, MillionHashesTest::hash),
                RspamdFileTarget.create(rspamd, false, InstantSource.system()));
        System.out.printf(Locale.ROOT, "hashes: file of Rspamd made in %.1f s (%d MB)%n", made.time().toMillis() / 1e3,
                Files.size(rspamd) >> 20);
        Path data = folder.resolve("data");
        TransferReport moved = run(SqliteSource.open(rspamd), StorageTarget.open(data, InstantSource.system()));
        check("from a file of Rspamd", moved, data);
        assertThat(moved.time()).isLessThan(GOAL);
    }

    /**
     * Returns a hash of a campaign of ten mails that share half of their shingles, which exercises every kind of sort.
     * Rspamd's tables have no room for side hashes, so it has none.
     */
    private static StoredHash ofCampaign(long n) {
        return new StoredHash(Samples.digest(n), List.of(new FlagValue(1, n % 100, 1_700_000_000 + n)),
                Hashes.near(n, n / 10, 0xffff).withSides(null));
    }

    @Test
    void exportsHashesThatShareShingles(@TempDir Path folder) throws Exception {
        Path rspamd = folder.resolve("rspamd.db");
        TransferReport made = run(new ListSource(HASHES, 1, MillionHashesTest::ofCampaign),
                RspamdFileTarget.create(rspamd, false, InstantSource.system()));
        System.out.printf(Locale.ROOT, "hashes: file of Rspamd made of near-duplicates in %.1f s (%d MB)%n",
                made.time().toMillis() / 1e3, Files.size(rspamd) >> 20);
        long campaigns = HASHES / 10 + 1;
        assertThat(made.omitted()).isEqualTo(Map.of(Omission.SHARED_SHINGLE, (HASHES - campaigns) * 16));
    }

    @Test
    void importsADump(@TempDir Path folder) throws Exception {
        Path dump = folder.resolve("x.dump");
        TransferReport made = run(new ListSource(HASHES, 1, MillionHashesTest::hash),
                DumpTarget.create(dump, false, InstantSource.system(), new Random(1)));
        System.out.printf(Locale.ROOT, "hashes: dump made in %.1f s (%d MB)%n", made.time().toMillis() / 1e3,
                Files.size(dump) >> 20);
        Path data = folder.resolve("data");
        check("from a dump", run(DumpSource.open(dump), StorageTarget.open(data, InstantSource.system())),
                data);
    }

    private static void check(String what, TransferReport moved, Path data) throws Exception {
        System.out.printf(Locale.ROOT, "hashes %s: %d of %d in %.1f s, %.0f a second%n", what,
                moved.written().added(), HASHES, moved.time().toMillis() / 1e3, moved.rate());
        assertThat(moved.written()).isEqualTo(new HashTarget.Written(HASHES, 0, 0));
        assertThat(moved.omitted()).isEmpty();
        try (StorageSource source = StorageSource.open(data)) {
            long[] found = new long[1];
            source.read(HashSource.START, (_, hash) -> {
                if (found[0]++ % Math.max(1, HASHES / 1_000) == 0) {
                    assertThat(hash).isEqualTo(hash(hash.flags().getFirst().time() - 1_700_000_000));
                }
            }, new Omissions());
            assertThat(found[0]).isEqualTo(HASHES);
        }
    }
}
