package dev.weir.storage.transfer.dump;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import dev.weir.model.FlagValue;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.transfer.Hashes;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.Omissions;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class DumpTest {
    static byte[] write(List<StoredHash> hashes) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DumpWriter writer = DumpWriter.begin(bytes, 42, 1_700_000_000)) {
            for (StoredHash hash : hashes) {
                writer.write(hash);
            }
            writer.finish();
        }
        return bytes.toByteArray();
    }

    static List<StoredHash> read(byte[] dump) throws IOException {
        List<StoredHash> hashes = new ArrayList<>();
        try (DumpReader reader = DumpReader.begin(new ByteArrayInputStream(dump))) {
            for (List<StoredHash> block = reader.nextBlock(); block != null; block = reader.nextBlock()) {
                hashes.addAll(block);
            }
        }
        return hashes;
    }

    private static List<StoredHash> some(int count) {
        List<StoredHash> hashes = new ArrayList<>();
        for (int n = 1; n <= count; n++) {
            hashes.add(new StoredHash(Samples.digest(n), List.of(new FlagValue(n % 5, n, 1_000 + n)),
                    n % 3 == 0 ? null : Hashes.near(n, n / 20, 0xff << n), n % 4));
        }
        return hashes;
    }

    @Provide
    Arbitrary<List<StoredHash>> hashes() {
        return Hashes.any().list().ofMaxSize(30);
    }

    @Property(tries = 200, seed = "1301")
    void decodesToTheSameHash(@ForAll("hashes") List<StoredHash> hashes) throws Exception {
        assertThat(read(write(hashes))).isEqualTo(hashes);
    }

    @Test
    void readsSeveralBlocksInOrder() throws Exception {
        List<StoredHash> hashes = some(3_000);
        assertThat(read(write(hashes))).isEqualTo(hashes);
    }

    @Test
    void rejectsEveryTruncation() throws Exception {
        byte[] dump = write(some(4));
        for (int length = 0; length < dump.length; length++) {
            byte[] part = Arrays.copyOf(dump, length);
            assertThatExceptionOfType(DumpException.class).as("cut to " + length).isThrownBy(() -> read(part));
        }
    }

    @Test
    void rejectsEveryFlippedBit() throws Exception {
        byte[] dump = write(some(3));
        for (int bit = 0; bit < dump.length * 8; bit++) {
            byte[] damaged = dump.clone();
            damaged[bit / 8] ^= (byte) (1 << (bit % 8));
            assertThatExceptionOfType(DumpException.class).as("bit " + bit).isThrownBy(() -> read(damaged));
        }
    }

    @Test
    void aMissingBlockIsNoticed() throws Exception {
        List<StoredHash> hashes = some(3_000);
        byte[] dump = write(hashes);
        int size = java.nio.ByteBuffer.wrap(dump).order(java.nio.ByteOrder.LITTLE_ENDIAN)
                .getInt(DumpFormat.HEADER + 10);
        int next = DumpFormat.HEADER + DumpFormat.BLOCK_HEADER + size;
        byte[] without = new byte[dump.length - (next - DumpFormat.HEADER)];
        System.arraycopy(dump, 0, without, 0, DumpFormat.HEADER);
        System.arraycopy(dump, next, without, DumpFormat.HEADER, dump.length - next);
        assertThatExceptionOfType(DumpException.class).isThrownBy(() -> read(without))
                .withMessageContaining("blocks are missing");
    }

    @Test
    void rejectsBytesAfterTheEnd() throws Exception {
        byte[] dump = write(some(1));
        assertThatExceptionOfType(DumpException.class).isThrownBy(() -> read(Arrays.copyOf(dump, dump.length + 1)))
                .withMessageContaining("follows its end");
    }

    @Test
    void aSourceReadsWhatATargetWrote(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("x.dump");
        List<StoredHash> hashes = some(100);
        InstantSource clock = InstantSource.fixed(Instant.ofEpochSecond(1_700_000_000));
        Moves.run(Moves.of(hashes), DumpTarget.create(file, false, clock, new Random(1)), Merge.MAX);
        assertThat(Moves.all(DumpSource.open(file), new Omissions())).isEqualTo(hashes);
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> DumpTarget.create(file, false, clock, new Random(1)))
                .withMessageContaining("--overwrite");
        assertThat(folder).isDirectoryContaining(path -> path.equals(file))
                .isDirectoryNotContaining(path -> !path.equals(file));
    }

    @Test
    void anUnfinishedFileIsDeleted(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("x.dump");
        try (DumpTarget target = DumpTarget.create(file, false, InstantSource.system(), new Random(1))) {
            assertThat(target.name()).isEqualTo(file.toString());
        }
        assertThat(folder).isEmptyDirectory();
    }
}
