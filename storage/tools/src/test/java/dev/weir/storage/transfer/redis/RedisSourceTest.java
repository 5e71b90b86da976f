package dev.weir.storage.transfer.redis;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;

import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.Hashes;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.Omission;
import dev.weir.storage.transfer.Omissions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Tests of fetched keys. The module interop tests the fetch with a real Redis. */
class RedisSourceTest {
    private static final long NOW = 1_795_000_000;

    @TempDir
    private @Nullable Path given;

    private Path file = Path.of("");
    private RedisPlace place = place("fuzzy");

    @BeforeEach
    void spool() {
        file = Objects.requireNonNull(given).resolve("spool");
        place = place("fuzzy");
    }

    private static RedisPlace place(String prefix) {
        try {
            return RedisPlace.parse("redis://127.0.0.1:1/0?prefix=" + prefix, null);
        } catch (StorageException e) {
            throw new AssertionError(e);
        }
    }

    private static Spool.Row row(long n, long expires, String fields) {
        return new Spool.Row(Samples.digest(n), false, expires, fields);
    }

    private static String fields(int flag, long value, String more) {
        Map<String, String> fields = new LinkedHashMap<>(
                Map.of("F", Integer.toString(flag), "V", Long.toString(value), "C", "1794000000"));
        if (!more.isEmpty()) {
            fields.put("S", more);
        }
        return FieldText.write(fields);
    }

    private void fetched(List<Spool.Row> rows, List<Spool.Slot> slots) throws StorageException {
        try (Spool spool = Spool.open(file)) {
            spool.add(rows, slots,
                    Map.of(RedisFetch.PLACE, place.toString(), RedisFetch.ID, "99", RedisFetch.OTHER, "3",
                            RedisFetch.LONGEST, "1000", "phase", "complete"));
        }
    }

    private RedisSource open(boolean again, long lifetime) throws StorageException {
        return RedisSource.open(place, file, again, InstantSource.system(), lifetime);
    }

    @Test
    void joinsHashesWithTheirShingles() throws Exception {
        List<Spool.Slot> slots = new ArrayList<>();
        for (int i = 31; i >= 0; i--) {
            slots.add(new Spool.Slot(Samples.digest(2), i, Samples.shingles(2)[i]));
            if (i < 20) {
                slots.add(new Spool.Slot(Samples.digest(3), i, Samples.shingles(3)[i]));
            }
        }
        slots.add(new Spool.Slot(Samples.digest(1), 4, 4));
        slots.add(new Spool.Slot(Samples.digest(77), 4, 5));
        fetched(List.of(row(3, NOW + 500, fields(3, 30, "")), row(1, NOW + 500, fields(1, 10, "0_7,31_8")),
                // The same key again, as SCAN may give it: the later reading counts.
                row(2, NOW + 500, fields(2, 19, "")), row(2, NOW + 900, fields(2, 20, "")),
                new Spool.Row(Samples.digest(4), true, 0, null), new Spool.Row(Samples.digest(5), false, 0, null)),
                slots);
        Omissions omissions = new Omissions();
        List<StoredHash> hashes = Moves.all(open(false, 0), omissions);
        assertThat(hashes).containsExactlyInAnyOrder(
                new StoredHash(Samples.digest(1), List.of(new FlagValue(1, 10, 1_794_000_000)), listed(), NOW - 500),
                new StoredHash(Samples.digest(2), List.of(new FlagValue(2, 20, 1_794_000_000)), Samples.signature(2),
                        NOW - 100),
                new StoredHash(Samples.digest(3), List.of(new FlagValue(3, 30, 1_794_000_000)),
                        Hashes.partial(3, 0xfffff), NOW - 500));
        assertThat(omissions.snapshot()).isEqualTo(Map.of(Omission.OTHER_KEY, 3L, Omission.ORPHAN_SHINGLE, 1L,
                Omission.VANISHED, 1L, Omission.ODD_TYPE, 1L));
    }

    private List<StoredHash> resumed() throws Exception {
        try (RedisSource source = open(false, 0)) {
            return Moves.all(source, new Omissions());
        }
    }

    /** Every byte of the tables counts, so that no damaged value is imported. */
    @Test
    void aSpoolWithAFlippedBitIsKeptAsideAndFetchedAgain() throws Exception {
        List<Spool.Slot> slots = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            slots.add(new Spool.Slot(Samples.digest(2), i, Samples.shingles(2)[i]));
        }
        fetched(List.of(row(1, NOW + 500, fields(1, 10, "0_7,31_8")), row(2, NOW + 500, fields(2, 20, ""))), slots);
        List<StoredHash> whole = resumed();
        assertThat(whole).hasSize(2);
        byte[] good = Files.readAllBytes(file);
        SplittableRandom random = new SplittableRandom(20261129);
        int noticed = 0;
        for (int i = 0; i < 150; i++) {
            byte[] bad = good.clone();
            int at = random.nextInt(100, bad.length);
            // Most of the pages is empty: flip bits where something is.
            while (bad[at] == 0) {
                at = random.nextInt(100, bad.length);
            }
            bad[at] ^= (byte) (1 << random.nextInt(8));
            Spool.remove(file);
            Files.write(file, bad);
            List<StoredHash> found = List.of();
            try {
                found = resumed();
            } catch (StorageException e) {
                assertThat(e).as("it begins again").hasMessageContaining("cannot connect to");
            }
            if (Files.exists(file.resolveSibling("kept-aside").resolve("spool"))) {
                assertThat(found).isEmpty();
                Files.delete(file.resolveSibling("kept-aside").resolve("spool"));
                noticed++;
            } else {
                assertThat(found).as("byte %d", at).isEqualTo(whole);
            }
        }
        assertThat(noticed).isGreaterThan(100);
    }

    @Test
    void aSpoolOfAnEarlierVersionIsUsed() throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            for (String command : List.of(
                    "CREATE TABLE state(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
                    "CREATE TABLE hashes(digest BLOB NOT NULL, vanished INTEGER NOT NULL, expires INTEGER NOT NULL, "
                            + "bare INTEGER NOT NULL, fields BLOB)",
                    "CREATE TABLE slots(digest BLOB NOT NULL, slot INTEGER NOT NULL, value INTEGER NOT NULL)",
                    "INSERT INTO state VALUES ('place', '" + place + "')")) {
                statement.execute(command);
            }
        }
        fetched(List.of(row(1, NOW + 500, fields(1, 10, ""))), List.of());
        assertThat(resumed()).hasSize(1);
        assertThat(resumed()).hasSize(1);
    }

    private static Signature listed() {
        long[] values = new long[32];
        values[0] = 7;
        values[31] = 8;
        return Signature.partial(values, 0, (1 << 31) | 1);
    }

    @Test
    void derivesTheRenewalFromTheTimeToLive() throws Exception {
        fetched(List.of(row(1, NOW + 500, fields(1, 10, "")), row(2, 0, fields(2, 20, ""))), List.of());
        assertThat(Moves.all(open(false, 600), new Omissions())).extracting(StoredHash::renewed)
                .containsExactlyInAnyOrder(NOW - 100, 0L);
        // An expire so long that the hash would have been touched before it was made tells nothing.
        assertThat(Moves.all(open(false, 9_000_000), new Omissions())).extracting(StoredHash::renewed)
                .containsExactly(0L, 0L);
    }

    @Test
    void continuesAfterAPosition() throws Exception {
        List<Spool.Row> rows = new ArrayList<>();
        for (int n = 1; n <= 10; n++) {
            rows.add(row(n, 0, fields(n, n, "")));
        }
        fetched(rows, List.of());
        List<StoredHash> all = Moves.all(open(false, 0), new Omissions());
        try (RedisSource source = open(false, 0)) {
            assertThat(source.fingerprint()).isEqualTo(99);
            assertThat(source.remaining(HashSource.START)).isEqualTo(10);
            assertThat(source.remaining(4)).isEqualTo(6);
            List<StoredHash> rest = new ArrayList<>();
            source.read(4, (position, hash) -> rest.add(hash), new Omissions());
            assertThat(rest).isEqualTo(all.subList(4, 10));
            source.done();
        }
        assertThat(Objects.requireNonNull(given)).isEmptyDirectory();
    }

    @Test
    void keepsPlacesApart() throws Exception {
        fetched(List.of(), List.of());
        place = place("other");
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> open(false, 0))
                .withMessageContaining("prefix=fuzzy").withMessageContaining("--restart");
        try (RedisSource source = open(true, 0)) {
            assertThat(source.remaining(HashSource.START)).isZero();
        }
    }

    @Test
    void namesAnUnreachableRedis() throws Exception {
        try (RedisSource source = open(false, 0)) {
            assertThatExceptionOfType(StorageException.class).isThrownBy(() -> source.prepare(done -> {}))
                    .withMessageContaining("cannot connect to redis://127.0.0.1:1/0");
        }
    }
}
