package dev.weir.storage.transfer;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;

import dev.weir.storage.FlagValue;
import dev.weir.storage.Samples;
import dev.weir.storage.StoredHash;
import dev.weir.storage.backend.sqlite.HashLookup;
import dev.weir.storage.backend.sqlite.ReadOnly;
import dev.weir.storage.transfer.sqlite.FolderTarget;
import dev.weir.storage.transfer.sqlite.RspamdFileTarget;
import dev.weir.storage.transfer.sqlite.SqliteSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The measurement of docs/moving.md: a million hashes with 32 shingles each, from a file of Rspamd into an empty folder.
 * {@code -Dweir.moving.hashes=N} takes another number.
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
            return new Transfer(source, target, Merge.MAX, Expiry.NONE, false).run(new Transfer.Progress() {
                @Override
                public void preparing(long done) {}

                @Override
                public void moving(long done, long total) {}

                @Override
                public void finishing() {
                    System.out.printf(Locale.ROOT, "%tT settling%n", System.currentTimeMillis());
                }
            });
        }
    }

    @Test
    void arriveInTime(@TempDir Path folder) throws Exception {
        Path rspamd = folder.resolve("rspamd.db");
        TransferReport made = run(new ListSource(HASHES, 1, MillionHashesTest::hash),
                RspamdFileTarget.create(rspamd, false, InstantSource.system()));
        Path data = folder.resolve("data");
        SqliteSource source = SqliteSource.open(rspamd);
        TransferReport moved = run(source, FolderTarget.open(data, "fuzzy.db", InstantSource.system(), HASHES));
        System.out.printf(Locale.ROOT, "hashes: %d of %d moved in; file made in %.1f s (%d MB), moved in %.1f s%n",
                moved.written().added(), HASHES, made.time().toMillis() / 1e3, Files.size(rspamd) >> 20,
                moved.time().toMillis() / 1e3);
        assertThat(moved.written()).isEqualTo(new HashTarget.Written(HASHES, 0, 0));
        assertThat(moved.omitted()).isEmpty();
        assertThat(moved.time()).isLessThan(GOAL);
        Path file = data.resolve("fuzzy.db");
        try (var connection = ReadOnly.open(file); HashLookup lookup = new HashLookup(connection, file)) {
            for (long n = 1; n <= HASHES; n += Math.max(1, HASHES / 1_000)) {
                assertThat(lookup.find(Samples.digest(n))).isEqualTo(hash(n));
            }
            assertThat(lookup.find(Samples.digest(HASHES + 1))).isNull();
        }
    }
}
