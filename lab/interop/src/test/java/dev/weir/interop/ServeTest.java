package dev.weir.interop;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.weir.testkit.WeirProgram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@code weir serve} as a process: the line that it prints, and its end. */
class ServeTest {
    @TempDir
    Path scratch;

    @Test
    void printsOneLineAndEndsWithZeroOnSigterm() throws Exception {
        Path data = scratch.resolve("data");
        Process process = new ProcessBuilder(
                WeirProgram.command(List.of("serve", "--no-http", "--bind", "[::1]:0", "--data", data.toString())))
                .redirectError(scratch.resolve("err").toFile())
                .start();
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            assertThat(out.readLine())
                    .matches("weir: storage ready on \\[0:0:0:0:0:0:0:1\\]:\\d+, data in \\Q" + data
                            + "\\E \\(0 hashes\\)");
            // Process.destroy() would close the stream that is read next.
            process.toHandle().destroy();
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
            assertThat(out.readLine()).isNull();
        } finally {
            process.destroyForcibly();
        }
        assertThat(Programs.read(scratch.resolve("err"))).contains("every local user may learn",
                "since the start: ");
    }
}
