package dev.weir.storage.engine;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A mirror whose process runs out of open files goes on as soon as there are some again. */
class MirrorFilesTest {
    @TempDir
    private Path scratch;

    @Test
    void goesOnWhenFilesCanBeOpenedAgain() throws Exception {
        Path output = scratch.resolve("output");
        Process process = new ProcessBuilder("bash", "-c", "ulimit -n 160 && exec \"$0\" \"$@\"",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                "-Xmx256m", "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                MirrorWithoutFiles.class.getName(), scratch.resolve("data").toString()).redirectErrorStream(true)
                .redirectOutput(output.toFile()).start();
        try {
            boolean ended = process.waitFor(60, TimeUnit.SECONDS);
            assertThat(output).content().contains("behind by");
            assertThat(ended).isTrue();
            assertThat(Files.readString(output)).contains("no more files: ").contains("failed: ")
                    .contains("behind by 0, trouble: \n");
        } finally {
            process.destroyForcibly();
        }
    }
}
