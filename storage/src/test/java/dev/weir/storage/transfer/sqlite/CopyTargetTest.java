package dev.weir.storage.transfer.sqlite;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.backend.Backend;
import dev.weir.storage.backend.sqlite.SqliteBackend;
import dev.weir.storage.transfer.Expiry;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.Hashes;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.Omission;
import dev.weir.storage.transfer.Omissions;
import dev.weir.storage.transfer.Transfer;
import dev.weir.storage.transfer.TransferReport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class CopyTargetTest {
    private static final String DB = "fuzzy.db";

    @TempDir
    private @Nullable Path given;

    private Path data = Path.of("");
    private Path file = Path.of("");

    @BeforeEach
    void place() {
        data = Objects.requireNonNull(given).resolve("data");
        file = Objects.requireNonNull(given).resolve("rspamd.db");
    }

    /** Returns hashes that are learned one after another; those of three campaigns share shingles. */
    private static List<StoredHash> learned(int count) {
        List<StoredHash> hashes = new ArrayList<>();
        for (int n = 1; n <= count; n++) {
            hashes.add(new StoredHash(Samples.digest(n), List.of(new FlagValue(n % 3, n, 1_000 + n)),
                    signature(n)));
        }
        return hashes;
    }

    private static @Nullable Signature signature(int n) {
        return switch (n % 4) {
            case 0 -> null;
            case 1 -> Samples.signature(n);
            default -> Hashes.near(n, n % 3, 0xff << n);
        };
    }

    /** Returns the hashes as Rspamd knows them. */
    private static List<StoredHash> hashes(int count) {
        return Hashes.inRspamdsTables(learned(count));
    }

    private TransferReport move(Expiry expiry) throws StorageException {
        SqliteSource source = SqliteSource.open(file);
        assertThat(CopyTarget.fits(data, source)).isTrue();
        return Moves.run(source, CopyTarget.open(data, source), Merge.MAX, expiry, false);
    }

    private List<StoredHash> content(Omissions omissions) throws StorageException {
        return Moves.all(SqliteSource.open(data.resolve(DB)), omissions);
    }

    @ParameterizedTest
    @EnumSource
    void movesFilesOfEveryRelease(OldFile.Release release) throws Exception {
        OldFile.make(file, release, learned(30));
        TransferReport report = move(Expiry.NONE);
        assertThat(report.written()).isEqualTo(new HashTarget.Written(30, 0, 0));
        assertThat(report.omitted()).isEmpty();
        assertThat(content(new Omissions())).isEqualTo(hashes(30));
        try (Backend backend = SqliteBackend.open(data.resolve(DB))) {
            List<StoredHash> loaded = new ArrayList<>();
            backend.load(loaded::add, done -> {});
            assertThat(loaded).containsExactlyInAnyOrderElementsOf(hashes(30));
        }
        assertThat(data.resolve(DB + ".part")).doesNotExist();
    }

    @Test
    void removesOmittedHashesFromTheCopy() throws Exception {
        OldFile.make(file, OldFile.Release.V1_3_0, learned(30));
        OldFile.execute(file, "DELETE FROM digests WHERE id = 7", "DELETE FROM shingles WHERE digest_id = 7",
                "INSERT INTO digests VALUES (-5, 1, 'short', 1, 9000)",
                "INSERT INTO digests VALUES (100, 5000000000, CAST(randomblob(64) AS TEXT), 1, 9000)",
                "INSERT INTO shingles VALUES (1, 0, 7)", "INSERT INTO shingles VALUES (2, 0, 200)",
                "INSERT INTO shingles VALUES (3, 0, NULL)");
        TransferReport report = move(new Expiry(1_011));
        assertThat(report.omitted()).isEqualTo(Map.of(Omission.ODD_DIGEST, 1L, Omission.ODD_FLAG, 1L,
                Omission.ORPHAN_SHINGLE, 3L, Omission.EXPIRED, 9L));
        assertThat(report.written().added()).isEqualTo(20);
        OldFile.execute(data.resolve(DB), "DROP TABLE weir_signatures");
        Omissions omissions = new Omissions();
        assertThat(content(omissions)).isEqualTo(hashes(30).subList(10, 30));
        assertThat(omissions.snapshot()).as("nothing odd is left in Rspamd's tables").isEmpty();
    }

    @Test
    void anInterruptedCopyLeavesTheFolderEmptyAndStartsAgain() throws Exception {
        OldFile.make(file, OldFile.Release.V1_3_0, learned(30));
        SqliteSource source = SqliteSource.open(file);
        try (source; HashTarget target = CopyTarget.open(data, source)) {
            assertThat(target.begin(new HashTarget.Plan(1, 30, Merge.MAX, false))).isEqualTo(SqliteSource.START);
        }
        assertThat(data.resolve(DB)).doesNotExist();
        // The remains of a killed process.
        Files.writeString(data.resolve(DB + ".part"), "half of it");
        move(Expiry.NONE);
        assertThat(content(new Omissions())).isEqualTo(hashes(30));
    }

    @Test
    void isNotUsedForFilesOfWeirOrFoldersWithADatabase() throws Exception {
        SqliteBackend.open(file).close();
        try (SqliteSource source = SqliteSource.open(file)) {
            assertThat(CopyTarget.fits(data, source)).isFalse();
        }
        Path plain = file.resolveSibling("plain.db");
        OldFile.make(plain, OldFile.Release.V1_3_0, learned(3));
        Files.createDirectories(data);
        Files.writeString(data.resolve(DB), "");
        try (SqliteSource source = SqliteSource.open(plain)) {
            assertThat(CopyTarget.fits(data, source)).isFalse();
            assertThatExceptionOfType(StorageException.class).isThrownBy(() -> CopyTarget.open(data, source));
        }
    }

    @Test
    void theSourceIsNotChanged() throws Exception {
        OldFile.make(file, OldFile.Release.V1_3_0, learned(30));
        byte[] before = Files.readAllBytes(file);
        try (SqliteSource source = SqliteSource.open(file);
                HashTarget target = CopyTarget.open(data, source)) {
            new Transfer(source, target, Merge.MAX, Expiry.NONE, false).run(new Moves.Quiet());
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
    }
}
