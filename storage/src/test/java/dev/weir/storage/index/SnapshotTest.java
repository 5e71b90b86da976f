package dev.weir.storage.index;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.SplittableRandom;

import dev.weir.model.Digest;
import dev.weir.model.KeyedHash;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.Samples;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

class SnapshotTest {
    private static final Snapshot.Origin ORIGIN = new Snapshot.Origin(7, 8, 9, 10);
    private static final int HASHES = 30_000;
    private static final int FAMILY = 400;

    @TempDir
    Path folder = Path.of("");

    private static void add(HashIndex index, int from, int to) {
        SplittableRandom random = new SplittableRandom(from);
        for (int i = from; i < to; i++) {
            // Every third hash belongs to one large family, so that posting lists overflow and replace ids.
            long[] shingles = i % 3 == 0 && i < 3 * FAMILY
                    ? Samples.changed(Samples.shingles(0), 2, random)
                    : Samples.shingles(i);
            index.apply(Samples.write(i, 1 + i % 5, i, 1_000 + i, i % 4 == 3 ? null : Signature.of(shingles, 0)));
            if (i % 7 == 0) {
                index.apply(Samples.write(i, 300 + i % 11, 5, 2_000, null));
            }
            if (i % 10 == 9) {
                index.apply(new Update.DeleteAll(Samples.digest(i - 5)));
            }
        }
    }

    private static void assertSame(HashIndex expected, HashIndex actual, int hashes) {
        assertThat(actual.size()).isEqualTo(expected.size());
        assertThat(actual.crowded()).isEqualTo(expected.crowded());
        SplittableRandom random = new SplittableRandom(5);
        Lookup lookup = new Lookup();
        Digest unknown = Samples.digest(Long.MAX_VALUE);
        for (int i = 0; i < hashes; i += 3) {
            assertThat(HashIndexPropertyTest.find(actual, lookup, Samples.digest(i), null, 0))
                    .isEqualTo(HashIndexPropertyTest.find(expected, lookup, Samples.digest(i), null, 0));
            long[] near = Samples.changed(Samples.shingles(i < 3 * FAMILY ? 0 : i), 12, random);
            assertThat(HashIndexPropertyTest.find(actual, lookup, unknown, near, 0))
                    .isEqualTo(HashIndexPropertyTest.find(expected, lookup, unknown, near, 0));
        }
    }

    private HashIndex through(HashIndex index) throws IOException {
        Path file = folder.resolve("index");
        Snapshot.write(file, ORIGIN, index);
        assertThat(Files.size(file)).isBetween(Snapshot.bytes(index), Snapshot.bytes(index) + 4_096);
        return Snapshot.read(file, ORIGIN, (_, _) -> {}).orElseThrow();
    }

    @Test
    void restoredIndexAnswersAndGrowsLikeTheOriginal() throws Exception {
        HashIndex index = new HashIndex(new KeyedHash(1, 2));
        HashIndex copy = through(index);
        for (int from = 0; from < HASHES; from += HASHES / 3) {
            add(index, from, from + HASHES / 3);
            add(copy, from, from + HASHES / 3);
            assertSame(index, copy, from + HASHES / 3);
            copy = through(copy);
            assertSame(index, copy, from + HASHES / 3);
        }
        assertThat(copy.crowded()).isPositive();
    }

    @Test
    void isReadableOnlyByItsOwner() throws Exception {
        Path file = folder.resolve("index");
        Snapshot.write(file, ORIGIN, new HashIndex(new KeyedHash(1, 2)));
        assertThat(Files.getPosixFilePermissions(file)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
        assertThat(folder).isDirectoryContaining("glob:**/index").isDirectoryNotContaining("glob:**.tmp");
    }

    @Test
    void ignoresSnapshotsOfAnotherOrigin() throws Exception {
        Path file = folder.resolve("index");
        assertThat(Snapshot.read(file, ORIGIN, (_, _) -> {})).isEmpty();
        assertThat(Snapshot.origin(file)).isEmpty();
        Snapshot.write(file, ORIGIN, new HashIndex(new KeyedHash(1, 2)));
        assertThat(Snapshot.origin(file)).contains(ORIGIN);
        assertThat(Snapshot.read(file, new Snapshot.Origin(7, 8, 9, 11), (_, _) -> {})).isEmpty();
        assertThat(Snapshot.read(file, new Snapshot.Origin(6, 8, 9, 10), (_, _) -> {})).isEmpty();
        Files.writeString(file, "this is no snapshot, but long enough for one");
        assertThat(Snapshot.read(file, ORIGIN, (_, _) -> {})).isEmpty();
        Files.writeString(file, "WEIRIDX1");
        assertThat(Snapshot.origin(file)).isEmpty();
    }

    @Test
    void rejectsDamagedSnapshots() throws Exception {
        HashIndex index = new HashIndex(new KeyedHash(1, 2));
        add(index, 0, 500);
        Path file = folder.resolve("index");
        Snapshot.write(file, ORIGIN, index);
        byte[] sound = Files.readAllBytes(file);
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 300; i++) {
            byte[] broken = sound.clone();
            // Damages the numbers at the beginning of a table as well as the bulk.
            int at = i < 100 ? 40 + i * 8 + random.nextInt(8) : 40 + random.nextInt(sound.length - 40);
            broken[at] ^= (byte) (1 << random.nextInt(8));
            Files.write(file, broken);
            assertThatIOException().as("byte " + at).isThrownBy(() -> Snapshot.read(file, ORIGIN, (_, _) -> {}));
        }
        for (int i = 0; i < 50; i++) {
            Files.write(file, Arrays.copyOf(sound, 40 + random.nextInt(sound.length - 40)));
            assertThatIOException().isThrownBy(() -> Snapshot.read(file, ORIGIN, (_, _) -> {}));
        }
        Files.write(file, Arrays.copyOf(sound, sound.length + 1));
        assertThatIOException().isThrownBy(() -> Snapshot.read(file, ORIGIN, (_, _) -> {}));
    }
}
