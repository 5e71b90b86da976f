package dev.weir.cli.socket;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class ControlSocketPlaceTest {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void theServiceIsMeantWhereNothingElseIs() throws Exception {
        Path usual = Files.createDirectory(folder.resolve("usual"));
        Path service = folder.resolve("service.sock");
        Path own = usual.resolve("control.sock");
        Path data = folder.resolve("data");
        assertThat(ControlSocketPlace.of(null, null, usual, service)).as("neither is there").isEqualTo(own);
        Files.createFile(service);
        assertThat(ControlSocketPlace.of(null, null, usual, service)).isEqualTo(service);
        assertThat(ControlSocketPlace.of(null, data, usual, service)).as("--data")
                .isEqualTo(data.resolve("control.sock"));
        assertThat(ControlSocketPlace.of(data, null, usual, service)).as("--socket").isEqualTo(data);
        Files.createFile(own);
        assertThat(ControlSocketPlace.of(null, null, usual, service)).as("the user's own").isEqualTo(own);
    }

    @Test
    void theFolderOfTheServiceHasItsSocketElsewhere() throws Exception {
        Path service = folder.resolve("service.sock");
        Path own = folder.resolve("control.sock");
        assertThat(ControlSocketPlace.in(folder, folder, service)).as("neither is there").isEqualTo(own);
        Files.createFile(service);
        assertThat(ControlSocketPlace.in(folder, folder, service)).isEqualTo(service);
        Path other = folder.resolve("other");
        assertThat(ControlSocketPlace.in(other, folder, service)).as("another storage")
                .isEqualTo(other.resolve("control.sock"));
        Files.createFile(own);
        assertThat(ControlSocketPlace.in(folder, folder, service)).as("started by hand").isEqualTo(own);
    }
}
