package dev.weir.os;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class LockFileTest {
    @TempDir
    Path folder;

    private static Process hold(Path file) throws Exception {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), LockHolder.class.getName(),
                file.toString()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        assertThat(new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))
                .readLine()).isEqualTo("held");
        return process;
    }

    private static String mode(Path file) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void admitsOneHolderAtATime() throws Exception {
        Path file = folder.resolve("x.lock");
        try (LockFile first = LockFile.take(file).orElseThrow()) {
            assertThat(first).isNotNull();
            assertThat(LockFile.take(file)).isEmpty();
            assertThat(mode(file)).isEqualTo("rw-------");
        }
        LockFile.take(file).orElseThrow().close();
        assertThat(file).isEmptyFile();
    }

    @Test
    void aReaderCannotBlockTheLock() throws Exception {
        Path file = Files.createFile(folder.resolve("x.lock"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--")));
        Process reader = hold(file);
        try {
            Optional<LockFile> taken = LockFile.take(file);
            try (LockFile lock = taken.orElseThrow()) {
                assertThat(lock).isNotNull();
                assertThat(mode(file)).as("the file in its place").isEqualTo("rw-------");
                assertThat(LockFile.take(file)).as("for a second holder").isEmpty();
                assertThat(folder).isDirectoryContaining(path -> path.equals(file))
                        .isDirectoryNotContaining(path -> !path.equals(file));
            }
        } finally {
            reader.destroyForcibly().waitFor();
        }
    }
}
