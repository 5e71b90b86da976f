package dev.weir.storage.transfer.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.storage.Samples;
import dev.weir.storage.StoredHash;
import dev.weir.storage.database.sqlite.SqliteInspection;
import dev.weir.storage.transfer.Hashes;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.Omission;
import dev.weir.storage.transfer.Omissions;
import dev.weir.storage.transfer.TransferReport;
import dev.weir.testkit.TestFolders;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of a file for Rspamd with hashes that share shingles, as in every real storage. */
class RspamdFileTargetTest {
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.ofEpochSecond(1_700_000_000));

    private static void check(Path file, List<StoredHash> hashes) throws Exception {
        TransferReport report = Moves.run(Moves.of(hashes), RspamdFileTarget.create(file, false, CLOCK), Merge.MAX);
        List<StoredHash> expected = Hashes.inRspamdsTables(hashes);
        Omissions omissions = new Omissions();
        assertThat(Moves.all(SqliteSource.open(file), omissions)).isEqualTo(expected);
        assertThat(omissions.snapshot()).isEmpty();
        assertThat(report.omitted().getOrDefault(Omission.SHARED_SHINGLE, 0L))
                .isEqualTo(Hashes.shingles(hashes) - Hashes.shingles(expected));
        try (SqliteInspection inspection = SqliteInspection.open(file)) {
            assertThat(inspection.damages()).isEmpty();
            assertThat(inspection.leftovers()).isEmpty();
        }
        // Rspamd replaces the owner of a shingle by the uniqueness of this index.
        OldFile.execute(file, "INSERT OR REPLACE INTO shingles(value, number, digest_id) VALUES (5, 5, 1)",
                "INSERT OR REPLACE INTO shingles(value, number, digest_id) VALUES (5, 5, 2)");
        assertThat(OldFile.number(file, "SELECT count(*) FROM shingles WHERE value = 5 AND number = 5")).isOne();
    }

    private static StoredHash hash(long n, @Nullable Signature signature) {
        return new StoredHash(Samples.digest(n), List.of(new FlagValue(1, n, 1_000)), signature);
    }

    @Test
    void twoHashesMayShareOneShingle(@TempDir Path folder) throws Exception {
        check(folder.resolve("x.db"), List.of(hash(1, Hashes.near(1, 0, ~0b100)), hash(2, Hashes.near(2, 0, ~0b100))));
    }

    /** So many that the index takes many pages and the sort is not done in one piece of memory. */
    @Test
    void manyHashesMayShareMostShingles(@TempDir Path folder) throws Exception {
        List<StoredHash> hashes = new ArrayList<>();
        for (int n = 1; n <= 3_000; n++) {
            hashes.add(hash(n, n % 3 == 0 ? Samples.signature(n) : Hashes.near(n, n % 200, 1 << n)));
        }
        check(folder.resolve("x.db"), hashes);
    }

    @Provide
    Arbitrary<List<StoredHash>> hashes() {
        return Hashes.any().list().ofMaxSize(30).map(Hashes::distinct);
    }

    @Property(tries = 60, seed = "1501")
    void containsWhatRspamdsTablesCanContain(@ForAll("hashes") List<StoredHash> hashes) throws Exception {
        Path folder = TestFolders.make("weir-export");
        try {
            check(folder.resolve("x.db"), hashes);
        } finally {
            remove(folder);
        }
    }

    private static void remove(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            for (Path path : files.toList()) {
                Files.delete(path);
            }
        }
        Files.delete(folder);
    }
}
