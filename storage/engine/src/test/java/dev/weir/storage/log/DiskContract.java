package dev.weir.storage.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The behavior that the log relies on in every {@link Disk}. Each implementation has a test class that extends this
 * one.
 */
abstract class DiskContract {
    /** Returns a disk without files. */
    abstract Disk empty();

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static void write(Disk disk, String name, String text) throws IOException {
        try (DiskFile file = disk.create(name)) {
            file.writeFully(bytes(text), 0);
        }
    }

    private static String content(ReadableFile file) throws IOException {
        ByteBuffer all = ByteBuffer.allocate((int) file.size());
        file.readFully(all, 0);
        return StandardCharsets.ISO_8859_1.decode(all.flip()).toString();
    }

    private static String content(Disk disk, String name) throws IOException {
        try (DiskFile file = disk.open(name)) {
            return content(file);
        }
    }

    @Test
    void listsTheFilesThatWereCreated() throws IOException {
        Disk disk = empty();
        assertThat(disk.names()).isEmpty();
        write(disk, "one", "");
        write(disk, "two", "text");
        assertThat(disk.names()).containsExactlyInAnyOrder("one", "two");
        assertThat(disk.describe("one")).contains("one");
    }

    @Test
    void createsOnlyNewFilesAndOpensOnlyExistingOnes() throws IOException {
        Disk disk = empty();
        write(disk, "one", "text");
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> disk.create("one"));
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> disk.open("two"));
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> disk.rename("two", "three"));
        assertThat(disk.names()).containsExactly("one");
        assertThat(content(disk, "one")).isEqualTo("text");
    }

    @Test
    void readsWhatAnotherHandleWrote() throws IOException {
        Disk disk = empty();
        try (DiskFile written = disk.create("file"); DiskFile read = disk.open("file")) {
            written.writeFully(bytes("abcdef"), 0);
            written.writeFully(bytes("XY"), 2);
            assertThat(content(read)).isEqualTo("abXYef");
            ByteBuffer one = ByteBuffer.allocate(1);
            assertThat(read.read(one, 5)).isEqualTo(1);
            assertThat(one.get(0)).isEqualTo((byte) 'f');
            assertThat(read.read(ByteBuffer.allocate(1), 6)).isEqualTo(-1);
        }
    }

    @Test
    void fillsAGapWithZeros() throws IOException {
        Disk disk = empty();
        try (DiskFile file = disk.create("file")) {
            file.writeFully(bytes("z"), 600);
            assertThat(content(file)).isEqualTo("\0".repeat(600) + "z");
        }
    }

    @Test
    void writesAndForcesInOneCall() throws IOException {
        Disk disk = empty();
        try (DiskFile file = disk.create("file")) {
            file.writeFully(bytes("\0".repeat(8_192)), 0);
            file.force();
            ByteBuffer source = bytes("--text").position(2);
            file.writeForced(source, 64);
            assertThat(source.remaining()).isZero();
            assertThat(content(file)).isEqualTo("\0".repeat(64) + "text" + "\0".repeat(8_192 - 68));
        }
    }

    @Test
    void truncationNeverGrowsAFile() throws IOException {
        Disk disk = empty();
        try (DiskFile file = disk.create("file")) {
            file.writeFully(bytes("abcdef"), 0);
            file.truncate(2);
            assertThat(content(file)).isEqualTo("ab");
            file.truncate(4);
            assertThat(file.size()).isEqualTo(2);
        }
    }

    @Test
    void renamesOverAnExistingFile() throws IOException {
        Disk disk = empty();
        write(disk, "old", "old");
        write(disk, "new", "new");
        try (DiskFile opened = disk.open("old")) {
            disk.rename("new", "old");
            disk.force();
            assertThat(disk.names()).containsExactly("old");
            assertThat(content(disk, "old")).isEqualTo("new");
            assertThat(content(opened)).isEqualTo("old");
        }
    }

    @Test
    void deletesAFileThatIsStillRead() throws IOException {
        Disk disk = empty();
        write(disk, "file", "text");
        try (DiskFile opened = disk.open("file")) {
            disk.delete("file");
            disk.force();
            assertThat(disk.names()).isEmpty();
            assertThat(content(opened)).isEqualTo("text");
        }
        // A repetition is not a failure, because the log repeats deletions that may have succeeded.
        disk.delete("file");
    }

    @Test
    void closesTwice() throws IOException {
        DiskFile file = empty().create("file");
        file.close();
        file.close();
    }

    @Test
    void hasRoomAndKeepsItsBoot() throws IOException {
        Disk disk = empty();
        assertThat(disk.usable()).isPositive();
        assertThat(disk.boot()).isEqualTo(disk.boot());
    }
}
