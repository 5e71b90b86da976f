package dev.weir.storage.access.gate;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class LimitFileTest {
    @Test
    void onlyTheOwnerCanReadTheFile(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("ratelimits");
        // A leftover from a crash of an earlier version.
        Files.createFile(folder.resolve("ratelimits.new"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--")));
        LimitFile.write(file, LimitFile.Content.EMPTY);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        assertThat(LimitFile.read(file)).contains(LimitFile.Content.EMPTY);
        assertThat(folder).isDirectoryNotContaining(path -> !path.equals(file));
    }
}
