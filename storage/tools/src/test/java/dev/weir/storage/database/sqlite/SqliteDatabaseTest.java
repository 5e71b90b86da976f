package dev.weir.storage.database.sqlite;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.Model;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.UpdateBatch;
import dev.weir.storage.database.HashDatabase;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class SqliteDatabaseTest {
    @TempDir
    private @Nullable Path given;

    private Path folder = Path.of("");
    private Path file = Path.of("");

    @BeforeEach
    void place() {
        folder = Objects.requireNonNull(given);
        file = folder.resolve("fuzzy.db");
    }

    static Map<Digest, StoredHash> load(HashDatabase backend) throws StorageException {
        List<StoredHash> hashes = new ArrayList<>();
        backend.load(hashes::add, done -> {});
        return hashes.stream().collect(Collectors.toMap(StoredHash::digest, Function.identity()));
    }

    private List<String> query(String sql) throws SQLException {
        List<String> result = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                result.add(rows.getString(1));
            }
        }
        return result;
    }

    private void execute(String... commands) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            for (String command : commands) {
                statement.execute(command);
            }
        }
    }

    private static UpdateBatch batch(long first, Update... updates) {
        return new UpdateBatch(first, 5_000, List.of(updates));
    }

    @Test
    void makesExactlyRspamdsTables() throws Exception {
        SqliteDatabase.open(file).close();
        Path original = folder.resolve("original");
        Files.createDirectories(original);
        Path rspamd = RspamdFile.copyTo(original);
        String sql = "SELECT coalesce(sql, name) FROM sqlite_schema WHERE name NOT LIKE 'weir%' "
                + "AND name NOT LIKE '%autoindex_weir%' ORDER BY name";
        List<String> ours = query(sql);
        file = rspamd;
        assertThat(ours).isEqualTo(query(sql)).hasSize(8);
    }

    @Test
    void keepsUserVersionAsRspamdDoes() throws Exception {
        SqliteDatabase.open(file).close();
        assertThat(query("PRAGMA user_version")).containsExactly("0");
        SqliteDatabase.open(file).close();
        assertThat(query("PRAGMA user_version")).containsExactly("1");
        assertThat(query("PRAGMA journal_mode")).containsExactly("wal");
    }

    @Test
    void storesRowsAsRspamdDoes() throws Exception {
        try (HashDatabase backend = SqliteDatabase.open(file)) {
            backend.apply(batch(1, Samples.write(1, 3, 10, 4_000, Samples.signature(1)),
                    Samples.write(2, 300, 1, 4_001, null)));
        }
        assertThat(query("SELECT typeof(digest) || ' ' || flag || ' ' || value || ' ' || time || ' ' || hex(digest) "
                + "FROM digests ORDER BY id")).containsExactly(
                        "text 3 10 4000 " + Samples.digest(1).toString().toUpperCase(Locale.ROOT),
                        "text 300 1 4001 " + Samples.digest(2).toString().toUpperCase(Locale.ROOT));
        assertThat(query("SELECT value FROM shingles WHERE digest_id = 1 ORDER BY number"))
                .containsExactlyElementsOf(
                        Arrays.stream(Samples.shingles(1)).mapToObj(Long::toString).toList());
        assertThat(query("SELECT name || ' ' || version || ' ' || last FROM sources"))
                .containsExactly("local 1 5000");
    }

    @Test
    void aLaterHashTakesSlotsInRspamdsTableButNotInWeirs() throws Exception {
        long[] near = Samples.changed(Samples.shingles(1), 8, new SplittableRandom(1));
        try (HashDatabase backend = SqliteDatabase.open(file)) {
            backend.apply(batch(1, Samples.write(1, 1, 1, 1, Samples.signature(1)),
                    Samples.write(2, 1, 1, 1, Signature.of(near, 0))));
            assertThat(load(backend).get(Samples.digest(1)))
                    .isEqualTo(new StoredHash(Samples.digest(1), List.of(new FlagValue(1, 1, 1)),
                            Samples.signature(1)));
        }
        assertThat(query("SELECT count(*) FROM shingles GROUP BY digest_id ORDER BY digest_id")).containsExactly("8",
                "32");
    }

    private static long roughlySigned(HashDatabase backend) throws Exception {
        return (long) (backend.count() * backend.signedShare());
    }

    @Test
    void estimatesHowManyHaveASignature() throws Exception {
        try (HashDatabase backend = SqliteDatabase.open(file)) {
            assertThat(roughlySigned(backend)).isZero();
            backend.apply(batch(1, IntStream.range(0, 900)
                    .mapToObj(i -> Samples.write(i, 1, 1, 1, i % 3 == 0 ? Samples.signature(i) : null))
                    .toArray(Update[]::new)));
            assertThat(roughlySigned(backend)).isBetween(200L, 400L);
            backend.apply(batch(901, IntStream.range(0, 900).filter(i -> i % 3 != 0)
                    .mapToObj(i -> new Update.DeleteAll(Samples.digest(i))).toArray(Update[]::new)));
            assertThat(roughlySigned(backend)).isEqualTo(300);
        }
    }

    @Test
    void opensAFileOfRealRspamd() throws Exception {
        RspamdFile.copyTo(folder);
        try (HashDatabase backend = SqliteDatabase.open(file)) {
            assertThat(backend.count()).isEqualTo(7);
            Map<Digest, StoredHash> hashes = load(backend);
            assertThat(hashes).hasSize(7);
            assertThat(hashes.get(RspamdFile.digest(1))).isEqualTo(
                    new StoredHash(RspamdFile.digest(1), List.of(new FlagValue(1, 10, 1_795_240_908L)), null));
            StoredHash second = Objects.requireNonNull(hashes.get(RspamdFile.digest(2)));
            assertThat(second.flags()).containsExactly(new FlagValue(3, 15, 1_795_240_910L));
            Signature signature = Objects.requireNonNull(second.signature());
            assertThat(signature.mask()).isEqualTo(0xffff_fc00);
            assertThat(signature.value(31)).isEqualTo(RspamdFile.shingles(2)[31]);
            StoredHash sixth = Objects.requireNonNull(hashes.get(RspamdFile.digest(6)));
            assertThat(sixth.flags()).containsExactly(new FlagValue(4, 7, 1_795_240_914L));
            assertThat(hashes).doesNotContainKey(RspamdFile.digest(5));
        }
    }

    @Test
    void seesChangesOfRspamd() throws Exception {
        try (HashDatabase backend = SqliteDatabase.open(file)) {
            backend.apply(batch(1, Samples.write(1, 1, 5, 10, Samples.signature(1)), Samples.write(1, 2, 9, 11, null),
                    Samples.write(1, 3, 7, 12, null), Samples.write(2, 1, 5, 10, Samples.signature(2)),
                    Samples.write(2, 2, 4, 10, null), Samples.write(3, 1, 5, 10, Samples.signature(3)),
                    Samples.write(3, 2, 1, 10, null)));
        }
        execute("PRAGMA foreign_keys = ON",
                // Rspamd overwrites flag and value of a row, here with a flag that we keep beside it,
                "UPDATE digests SET flag = 3, value = 2, time = 20 WHERE id = 1",
                // deletes one, with everything that hangs on it,
                "DELETE FROM digests WHERE id = 2",
                // and a tool without foreign keys deletes it; the id is used again.
                "PRAGMA foreign_keys = OFF", "DELETE FROM digests WHERE id = 3",
                "INSERT INTO digests(id, flag, digest, value, time) VALUES (3, 9, CAST(x'" + Samples.digest(4)
                        + "' AS TEXT), 1, 30)");
        try (HashDatabase backend = SqliteDatabase.open(file)) {
            Map<Digest, StoredHash> hashes = load(backend);
            assertThat(hashes.keySet()).containsExactlyInAnyOrder(Samples.digest(1), Samples.digest(4));
            // Flag 2, which we kept, had 9 and was in the row that Rspamd overwrote: it is gone, as it is in Rspamd.
            assertThat(Objects.requireNonNull(hashes.get(Samples.digest(1))).flags())
                    .containsExactly(new FlagValue(1, 5, 10), new FlagValue(3, 2, 20));
            assertThat(Objects.requireNonNull(hashes.get(Samples.digest(4))).flags())
                    .containsExactly(new FlagValue(9, 1, 30));
        }
        assertThat(query("SELECT flag FROM digests WHERE id = 1")).containsExactly("1");
        assertThat(query("SELECT digest_id || ' ' || flag FROM weir_flags")).containsExactly("1 3");
    }

    @Test
    void theDigestRowHasTheHighestFlagAndIsDeletedWithTheLastOne() throws Exception {
        try (HashDatabase backend = SqliteDatabase.open(file)) {
            backend.apply(batch(1, Samples.write(1, 1, 5, 1, null), Samples.write(1, 2, 5, 2, null)));
            assertThat(query("SELECT flag FROM digests")).containsExactly("1");
            backend.apply(batch(3, Samples.write(1, 2, 1, 3, null)));
            assertThat(query("SELECT flag FROM digests")).containsExactly("2");
            backend.apply(batch(4, new Update.Delete(Samples.digest(1), 7), new Update.Delete(Samples.digest(9), 1),
                    new Update.Delete(Samples.digest(1), 2)));
            assertThat(query("SELECT flag || ' ' || value FROM digests")).containsExactly("1 5");
            backend.apply(batch(7, new Update.Delete(Samples.digest(1), 1)));
            assertThat(backend.count()).isZero();
        }
        assertThat(query("SELECT version FROM sources")).containsExactly("4");
    }

    @Test
    void ignoresAnAppliedBatch() throws Exception {
        try (HashDatabase backend = SqliteDatabase.open(file)) {
            backend.apply(batch(1, Samples.write(1, 1, 5, 1, null)));
            backend.apply(batch(1, Samples.write(1, 1, 5, 1, null)));
        }
        try (HashDatabase backend = SqliteDatabase.open(file)) {
            assertThat(backend.revision()).isEqualTo(1);
            backend.apply(batch(1, Samples.write(1, 1, 5, 1, null)));
            assertThat(load(backend).get(Samples.digest(1)))
                    .isEqualTo(new StoredHash(Samples.digest(1), List.of(new FlagValue(1, 5, 1)), null));
        }
    }

    @Test
    void appliesTheNewPartOfABatchAndRejectsAGap() throws Exception {
        try (HashDatabase backend = SqliteDatabase.open(file)) {
            backend.apply(batch(1, Samples.write(1, 1, 5, 1, null), Samples.write(1, 1, 6, 1, null)));
            backend.apply(batch(2, Samples.write(1, 1, 6, 1, null), Samples.write(1, 1, 7, 1, null)));
            assertThat(backend.revision()).isEqualTo(3);
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> backend.apply(batch(5, Samples.write(1, 1, 9, 1, null))))
                    .withMessageContaining("4 to 4");
            assertThat(load(backend).get(Samples.digest(1)))
                    .isEqualTo(new StoredHash(Samples.digest(1), List.of(new FlagValue(1, 18, 1)), null));
        }
    }

    @Test
    void theIdentifierOfAStorageStays() throws Exception {
        long id;
        try (HashDatabase backend = SqliteDatabase.open(file)) {
            id = backend.storageId();
        }
        try (HashDatabase backend = SqliteDatabase.open(file)) {
            assertThat(backend.storageId()).isEqualTo(id).isNotZero();
        }
    }

    @Test
    void expiresFlagByFlagUnlessRenewed() throws Exception {
        Digest first = Samples.digest(1);
        try (HashDatabase backend = SqliteDatabase.open(file)) {
            backend.apply(batch(1, Samples.write(1, 1, 5, 100, Samples.signature(1)),
                    Samples.write(1, 2, 9, 200, null), Samples.write(2, 1, 5, 100, null),
                    new Update.Refresh(Samples.digest(2), 150), new Update.Refresh(Samples.digest(2), 140),
                    new Update.Refresh(Samples.digest(7), 150)));
            assertThat(Objects.requireNonNull(load(backend).get(Samples.digest(2))).renewed()).isEqualTo(150);
            backend.apply(batch(7, new Update.Expire(first, 1, 100), new Update.Expire(first, 2, 200),
                    new Update.Expire(Samples.digest(2), 1, 150)));
            assertThat(load(backend)).containsOnlyKeys(first, Samples.digest(2));
            backend.apply(batch(10, new Update.Expire(first, 1, 101), new Update.Expire(Samples.digest(2), 1, 151)));
            assertThat(load(backend)).containsOnlyKeys(first);
            backend.apply(batch(12, new Update.Expire(first, 2, 201)));
            assertThat(load(backend)).isEmpty();
        }
        assertThat(query("SELECT count(*) FROM shingles")).containsExactly("0");
        assertThat(query("SELECT count(*) FROM weir_signatures")).containsExactly("0");
        assertThat(query("SELECT count(*) FROM weir_renewals")).containsExactly("0");
    }

    @Test
    void compactsWhenMuchIsFree() throws Exception {
        try (HashDatabase backend = SqliteDatabase.open(file)) {
            assertThat(backend.compact(0)).isFalse();
            List<Update> writes = new ArrayList<>();
            List<Update> deletes = new ArrayList<>();
            for (int i = 0; i < 6_000; i++) {
                writes.add(Samples.write(i, 1, 1, 1, Samples.signature(i)));
                if (i > 0) {
                    deletes.add(new Update.DeleteAll(Samples.digest(i)));
                }
            }
            backend.apply(new UpdateBatch(1, 1, writes));
            backend.apply(new UpdateBatch(1 + writes.size(), 1, deletes));
            long before = Files.size(file);
            // What is free changes at any moment while other tests run. The whole disk is never free.
            long wholeDisk = file.toFile().getTotalSpace();
            assertThat(backend.compact(wholeDisk)).as("without room for it").isFalse();
            assertThat(Files.size(file)).isEqualTo(before);
            assertThat(backend.compact(0)).isTrue();
            assertThat(Files.size(file)).isLessThan(before / 10);
            assertThat(load(backend)).containsOnlyKeys(Samples.digest(0));
        }
    }

    /** After any updates, what is read back equals the simplest possible storage: flags, primaries, signatures. */
    @Test
    void readsBackTheContentOfTheModel() throws Exception {
        SplittableRandom random = new SplittableRandom(11);
        Model model = new Model();
        long revision = 0;
        for (int round = 0; round < 6; round++) {
            try (HashDatabase backend = SqliteDatabase.open(file)) {
                for (int b = 0; b < 5; b++) {
                    List<Update> updates = new ArrayList<>();
                    for (int i = 0; i < 60; i++) {
                        int n = random.nextInt(25);
                        int flag = random.nextInt(4);
                        long time = 1_000 + revision / 60;
                        updates.add(switch (random.nextInt(10)) {
                            case 0 -> new Update.DeleteAll(Samples.digest(n));
                            case 1, 2 -> new Update.Delete(Samples.digest(n), flag);
                            case 3 -> new Update.Refresh(Samples.digest(n), time);
                            case 4 -> new Update.Expire(Samples.digest(n), flag, time - random.nextInt(8));
                            default -> Samples.write(n, flag, random.nextInt(-4, 9), time,
                                    random.nextBoolean() ? Samples.signature(n) : null);
                        });
                    }
                    backend.apply(new UpdateBatch(revision + 1, revision, updates));
                    revision += updates.size();
                    updates.forEach(model::apply);
                }
                Map<Digest, StoredHash> expected = model.all().stream()
                        .collect(Collectors.toMap(StoredHash::digest, Function.identity()));
                assertThat(load(backend)).isEqualTo(expected);
                assertThat(backend.count()).isEqualTo(model.size());
            }
        }
    }

    @Test
    void rejectsAFileThatIsNotADatabase() throws Exception {
        Files.write(file, "This is not a database, it is a letter. ".repeat(100).getBytes(StandardCharsets.UTF_8));
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> SqliteDatabase.open(file))
                .withMessageContaining("is not an SQLite database").withMessageContaining("fuzzy.db");
    }

    @Test
    void aDatabaseOfAnotherProgramIsRefused() throws Exception {
        execute("CREATE TABLE customers(id INTEGER)");
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> SqliteDatabase.open(file))
                .withMessageContaining("of another program");
        assertThat(query("SELECT name FROM sqlite_schema")).containsExactly("customers");
    }

    @Test
    void newerAndOtherTablesAreRefused() throws Exception {
        SqliteDatabase.open(file).close();
        execute("PRAGMA user_version = 2");
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> SqliteDatabase.open(file))
                .withMessageContaining("user_version 2");
        execute("PRAGMA user_version = 1", "UPDATE weir_state SET value = 99 WHERE name = 'schema'");
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> SqliteDatabase.open(file))
                .withMessageContaining("newer weir");
        execute("UPDATE weir_state SET value = 1 WHERE name = 'schema'", "ALTER TABLE digests ADD COLUMN extra TEXT");
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> SqliteDatabase.open(file))
                .withMessageContaining("digests").withMessageContaining("extra");
    }

    @Test
    void aLockedDatabaseIsRefused() throws Exception {
        SqliteDatabase.open(file).close();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            assertThatExceptionOfType(StorageException.class).isThrownBy(() -> SqliteDatabase.open(file))
                    .withMessageContaining("locked");
        }
    }

    @Test
    void aBatchThatFailsToCommitChangesNothing() throws Exception {
        try (HashDatabase backend = SqliteDatabase.open(file)) {
            backend.apply(batch(1, Samples.write(1, 1, 5, 1, null)));
            try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                    Statement statement = connection.createStatement()) {
                statement.execute("BEGIN IMMEDIATE");
                assertThatExceptionOfType(StorageException.class)
                        .isThrownBy(() -> backend.apply(batch(2, Samples.write(1, 1, 5, 2, null))));
            }
            assertThat(backend.revision()).isEqualTo(1);
            backend.apply(batch(2, Samples.write(1, 1, 7, 3, null)));
            assertThat(Objects.requireNonNull(load(backend).get(Samples.digest(1))).flags())
                    .containsExactly(new FlagValue(1, 12, 3));
        }
    }

    @Test
    void rollsBackABatchThatFailsMidway() throws Exception {
        try (HashDatabase backend = SqliteDatabase.open(file)) {
            execute("CREATE TRIGGER fail BEFORE INSERT ON digests WHEN new.flag = 13 "
                    + "BEGIN SELECT raise(ABORT, 'no thirteen'); END");
            assertThatExceptionOfType(StorageException.class).isThrownBy(() -> backend
                    .apply(batch(1, Samples.write(1, 1, 5, 1, null), Samples.write(2, 13, 5, 1, null))));
            assertThat(backend.count()).isZero();
            backend.apply(batch(1, Samples.write(1, 1, 5, 1, null)));
            assertThat(backend.count()).isEqualTo(1);
        }
    }
}
