package dev.weir.storage.transfer.sqlite;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.UpdateBatch;
import dev.weir.storage.database.HashDatabase;
import dev.weir.storage.database.sqlite.RspamdFile;
import dev.weir.storage.database.sqlite.SqliteDatabase;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.Hashes;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.Omission;
import dev.weir.storage.transfer.Omissions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class SqliteSourceTest {
    private static final List<StoredHash> HASHES = List.of(hash(1, Samples.signature(1)), hash(2, null),
            hash(3, Samples.signature(3)));

    @TempDir
    private @Nullable Path given;

    private Path file = Path.of("");
    private Omissions omissions = new Omissions();

    @BeforeEach
    void place() {
        file = Objects.requireNonNull(given).resolve("fuzzy.db");
        omissions = new Omissions();
    }

    private static StoredHash hash(long n, @Nullable Signature signature) {
        return new StoredHash(Samples.digest(n), List.of(new FlagValue((int) n, n * 10, 1_000 + n)), signature);
    }

    @ParameterizedTest
    @EnumSource
    void readsFilesOfEveryRelease(OldFile.Release release) throws Exception {
        OldFile.make(file, release, HASHES);
        assertThat(Moves.all(SqliteSource.open(file), omissions)).isEqualTo(HASHES);
        assertThat(omissions.snapshot()).isEmpty();
    }

    @Test
    void readsAFileOfARealRspamd() throws Exception {
        RspamdFile.copyTo(Objects.requireNonNull(given));
        byte[] before = Files.readAllBytes(file);
        List<StoredHash> hashes = Moves.all(SqliteSource.open(file), omissions);
        // Number 5 was deleted; 2 lost slots 0..9 to 3, and 7 lost 0..19 to 8.
        assertThat(hashes).extracting(StoredHash::digest).containsExactlyElementsOf(
                List.of(1, 2, 3, 4, 6, 7, 8).stream().map(RspamdFile::digest).toList());
        assertThat(hashes.get(1).signature()).extracting(s -> Objects.requireNonNull(s).mask())
                .isEqualTo(-1 << 10);
        assertThat(hashes.get(1).flags().getFirst().value()).isEqualTo(15);
        assertThat(omissions.snapshot()).isEmpty();
        assertThat(Files.readAllBytes(file)).as("the file").isEqualTo(before);
    }

    @Test
    void readsWeirsOwnFlagsAndSignatures() throws Exception {
        Signature first = Samples.signature(1);
        try (HashDatabase backend = SqliteDatabase.open(file)) {
            backend.apply(new UpdateBatch(1, 5_000, List.<Update>of(Samples.write(1, 3, 10, 4_000, first),
                    Samples.write(1, 4, 7, 4_001, null), Samples.write(1, 5, 8, 4_002, null),
                    // Takes every shingle of the first away in Rspamd's table.
                    Samples.write(2, 3, 10, 4_003, first))));
        }
        assertThat(Moves.all(SqliteSource.open(file), omissions)).containsExactly(
                new StoredHash(Samples.digest(1), List.of(new FlagValue(3, 10, 4_000), new FlagValue(4, 7, 4_001),
                        new FlagValue(5, 8, 4_002)), first),
                new StoredHash(Samples.digest(2), List.of(new FlagValue(3, 10, 4_003)), first));
        assertThat(omissions.snapshot()).isEmpty();
    }

    @Test
    void countsWhatItLeavesOut() throws Exception {
        OldFile.make(file, OldFile.Release.V1_3_0, HASHES);
        OldFile.execute(file, "INSERT INTO digests VALUES (10, 1, 'short', 1, 1)",
                "INSERT INTO digests VALUES (11, 5000000000, CAST(randomblob(64) AS TEXT), 1, 1)",
                "INSERT INTO digests VALUES (12, 'x', CAST(randomblob(64) AS TEXT), 1, 1)",
                "INSERT INTO digests VALUES (13, 2, CAST(randomblob(64) AS TEXT), NULL, NULL)",
                "INSERT INTO shingles VALUES (1, 0, 2000)", "INSERT INTO shingles VALUES (2, 0, 2001)",
                "INSERT INTO shingles VALUES (3, 0, NULL)", "INSERT INTO shingles VALUES (4, 32, 13)",
                "INSERT INTO shingles VALUES (5, -1, 13)", "INSERT INTO shingles VALUES (6, 31, 13)");
        List<StoredHash> hashes = Moves.all(SqliteSource.open(file), omissions);
        assertThat(hashes).hasSize(4).startsWith(HASHES.toArray(StoredHash[]::new));
        assertThat(hashes.getLast().flags()).containsExactly(new FlagValue(2, 0, 0));
        assertThat(hashes.getLast().signature()).extracting(s -> Objects.requireNonNull(s).mask())
                .isEqualTo(1 << 31);
        assertThat(omissions.snapshot()).isEqualTo(Map.of(Omission.ODD_DIGEST, 1L, Omission.ODD_FLAG, 2L,
                Omission.ORPHAN_SHINGLE, 3L, Omission.ODD_SLOT, 2L));
    }

    @Test
    void countsLeftoversInWeirsTables() throws Exception {
        try (HashDatabase backend = SqliteDatabase.open(file)) {
            backend.apply(new UpdateBatch(1, 5_000, List.<Update>of(Samples.write(1, 3, 10, 4_000, null),
                    Samples.write(1, 4, 7, 4_001, null))));
        }
        OldFile.execute(file, "INSERT INTO weir_flags VALUES (1, 9, 1, 1, x'0000000000000000')",
                "INSERT INTO weir_flags VALUES (77, 9, 1, 1, x'0000000000000000')");
        assertThat(Moves.all(SqliteSource.open(file), omissions)).hasSize(1);
        assertThat(omissions.snapshot()).isEqualTo(Map.of(Omission.STALE_FLAG, 2L));
    }

    @Test
    void seesOneStateWhileAnotherProgramWrites() throws Exception {
        OldFile.make(file, OldFile.Release.V1_3_0, HASHES);
        OldFile.execute(file, "PRAGMA journal_mode = WAL");
        try (SqliteSource source = SqliteSource.open(file)) {
            long before = source.fingerprint();
            OldFile.execute(file, "UPDATE digests SET value = 99", "DELETE FROM digests WHERE id = 3");
            assertThat(source.fingerprint()).isEqualTo(before);
            assertThat(source.remaining(HashSource.START)).isEqualTo(3);
            assertThat(Moves.all(source, omissions)).isEqualTo(HASHES);
        }
        try (SqliteSource later = SqliteSource.open(file)) {
            assertThat(later.remaining(HashSource.START)).isEqualTo(2);
        }
    }

    @Test
    void theFingerprintIdentifiesTheContent() throws Exception {
        OldFile.make(file, OldFile.Release.V0_8_0, HASHES);
        long print = fingerprint();
        assertThat(fingerprint()).isEqualTo(print);
        OldFile.execute(file, "UPDATE digests SET value = value + 1 WHERE id = 2");
        long changed = fingerprint();
        assertThat(changed).isNotEqualTo(print);
        OldFile.execute(file, "INSERT INTO digests SELECT 50, 1, CAST(randomblob(64) AS TEXT), 0, 0");
        assertThat(fingerprint()).isNotEqualTo(changed);
    }

    private long fingerprint() throws StorageException {
        try (SqliteSource source = SqliteSource.open(file)) {
            return source.fingerprint();
        }
    }

    @Test
    void refusesOtherDatabases() throws Exception {
        OldFile.execute(file, "CREATE TABLE mails(id INTEGER)");
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> SqliteSource.open(file))
                .withMessageContaining("not a database of fuzzy hashes");
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> SqliteSource.open(file.resolveSibling("none")))
                .withMessageContaining("no such file");
    }

    @Test
    void partialSignaturesRoundTrip() throws Exception {
        StoredHash partial = hash(1, Hashes.partial(1, 0x00ff00ff));
        Path made = file.resolveSibling("made.db");
        Moves.run(Moves.of(List.of(partial)),
                RspamdFileTarget.create(made, false, java.time.InstantSource.system()),
                dev.weir.storage.transfer.Merge.MAX);
        assertThat(Moves.all(SqliteSource.open(made), omissions)).containsExactly(partial);
    }
}
