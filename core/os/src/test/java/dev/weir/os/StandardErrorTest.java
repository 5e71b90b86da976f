package dev.weir.os;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class StandardErrorTest {
    @ParameterizedTest
    @ValueSource(strings = {"/dev/pts/0", "/dev/pts/17", "/dev/tty", "/dev/tty1", "/dev/ttyS0", "/dev/console"})
    void knowsTerminals(String file) {
        assertThat(StandardError.isTerminal(Path.of(file))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/dev/null", "pipe:[1234]", "socket:[1]", "/tmp/err", "/tmp/dev/pts/0", "/dev/pts/0/x"})
    void knowsFilesAndPipes(String file) {
        assertThat(StandardError.isTerminal(Path.of(file))).isFalse();
    }

    @Test
    void anotherProcessWithAFileSaysSo() throws Exception {
        // The link of a process is the file that it was given.
        Process process = new ProcessBuilder("readlink", "/proc/self/fd/2").redirectError(
                ProcessBuilder.Redirect.DISCARD).start();
        String link = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8)
                .strip();
        assertThat(process.waitFor()).isZero();
        assertThat(link).isEqualTo("/dev/null");
        assertThat(StandardError.isTerminal(Path.of(link))).isFalse();
    }
}
