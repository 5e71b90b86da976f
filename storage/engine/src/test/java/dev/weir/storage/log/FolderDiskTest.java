package dev.weir.storage.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

import dev.weir.os.DirectWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Tests of batches that bypass the page cache, beside others, as a reader through the cache sees them. */
class FolderDiskTest {
    private static final int LENGTH = 1 << 23;
    private static final String NAME = "file";

    @TempDir
    private Path folder;

    @Test
    void everyReaderSeesSyncedBytes() throws IOException {
        check(LENGTH);
    }

    /** The last block of such a file is not a whole one, so that nothing can go past the cache. */
    @Test
    void writesFilesOfOddLength() throws IOException {
        check(LENGTH - 72);
        assertThat(DirectWriter.open(folder.resolve(NAME), 0)).isNull();
    }

    private void check(int length) throws IOException {
        byte[] expected = new byte[length];
        FolderDisk disk = FolderDisk.of(folder);
        try (DiskFile made = disk.create(NAME)) {
            made.writeFully(ByteBuffer.wrap(expected), 0);
            made.force();
        }
        Random random = new Random(20261122);
        try (DiskFile written = disk.open(NAME); DiskFile read = disk.open(NAME)) {
            int at = 64;
            while (at < length) {
                int most = random.nextInt(10) == 0 ? 5 << 18 : 30_000;
                at = append(written, read, expected, at, Math.min(8 + random.nextInt(most), length - at) & ~7, random);
            }
        }
        assertThat(Files.readAllBytes(folder.resolve(NAME))).isEqualTo(expected);
    }

    private static int append(DiskFile written, DiskFile read, byte[] expected, int at, int count, Random random)
            throws IOException {
        byte[] batch = new byte[count];
        random.nextBytes(batch);
        System.arraycopy(batch, 0, expected, at, batch.length);
        if (random.nextInt(4) == 0) {
            written.writeFully(ByteBuffer.wrap(batch), at);
            written.force();
        } else {
            ByteBuffer source = ByteBuffer.allocateDirect(batch.length + 3).position(3).put(batch).position(3);
            written.writeForced(source, at);
            assertThat(source.remaining()).isZero();
        }
        // From before the batch to behind it: what is there has not been damaged, and behind it are zeros.
        int from = Math.max(0, at - 5000);
        ByteBuffer seen = ByteBuffer.allocate(Math.min(expected.length, at + batch.length + 5000) - from);
        read.readFully(seen, from);
        assertThat(seen.flip()).isEqualTo(ByteBuffer.wrap(expected, from, seen.limit()));
        return at + batch.length;
    }

    @Test
    void bypassesThePageCacheOnKnownFileSystems() throws IOException {
        Path file = folder.resolve(NAME);
        Files.write(file, new byte[8192]);
        String type = fileSystem(file);
        assumeTrue(DirectWriter.FILE_SYSTEMS.contains(type), () -> "the temporary folder is on " + type);
        try (DirectWriter writer = DirectWriter.open(file, 64)) {
            assertThat(writer).isNotNull();
        }
    }

    private static String fileSystem(Path file) {
        try {
            return Files.getFileStore(file).type();
        } catch (IOException e) {
            return abort("Java finds no mount point of " + file + ", as in a chroot: " + e.getMessage());
        }
    }
}
