package dev.weir.os;

import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Compares the free space with Java's own answer, where Java has one. */
class DiskSpaceTest {
    @Test
    void tellsTheSpaceOfAFolderAndOfAFile(@TempDir Path folder) throws Exception {
        FileStore store = Files.getFileStore(folder);
        // Other programs write meanwhile.
        assertThat(DiskSpace.usable(folder)).isPositive().isLessThanOrEqualTo(store.getTotalSpace());
        assertThat(DiskSpace.usable(Files.createFile(folder.resolve("file")))).isPositive();
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
