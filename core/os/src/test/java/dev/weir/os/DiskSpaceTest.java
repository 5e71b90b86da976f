package dev.weir.os;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Compares the free space with Java's own answer, where Java has one. */
class DiskSpaceTest {
    @Test
    void tellsTheSpaceOfAFolderAndOfAFile(@TempDir Path folder) throws Exception {
        FileStore store = store(folder);
        // Other programs write meanwhile.
        assertThat(DiskSpace.usable(folder)).isPositive().isLessThanOrEqualTo(store.getTotalSpace());
        assertThat(DiskSpace.usable(Files.createFile(folder.resolve("file")))).isPositive();
    }

    private static FileStore store(Path folder) throws IOException {
        try {
            return Files.getFileStore(folder);
        } catch (IOException e) {
            // Java looks it up among the mount points.
            return abort("Java finds no mount point of " + folder + ", as in a chroot: " + e.getMessage());
        }
    }

    @Test
    void aFailureIsNotAFullDisk(@TempDir Path folder) {
        assertThatThrownBy(() -> DiskSpace.usable(folder.resolve("missing")))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void tellsDisksApart(@TempDir Path folder) throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        assertThat(DiskSpace.areOnOneDisk(folder, file)).isTrue();
        Path memory = Path.of("/proc");
        assumeTrue(Files.isDirectory(memory), "this system has no second disk that every process can see");
        assertThat(DiskSpace.areOnOneDisk(folder, memory)).isFalse();
    }
}
