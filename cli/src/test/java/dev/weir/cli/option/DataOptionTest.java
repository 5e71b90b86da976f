package dev.weir.cli.option;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class DataOptionTest {
    @Test
    void readsTheServiceIfThereIsNoOtherStorage(@TempDir Path folder) throws Exception {
        Path usual = folder.resolve("usual");
        Path service = folder.resolve("service");
        Path given = folder.resolve("given");
        assertThat(DataOption.folderToRead(null, usual, service)).isEqualTo(usual);
        Files.createDirectory(service);
        assertThat(DataOption.folderToRead(null, usual, service)).isEqualTo(service);
        assertThat(DataOption.folderToRead(given, usual, service)).isEqualTo(given);
        Files.createDirectory(usual);
        assertThat(DataOption.folderToRead(null, usual, service)).isEqualTo(usual);
    }
}
