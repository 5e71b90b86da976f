package dev.weir.storage.log;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Claims of readers in this process and in another one. */
class ReadersLockTest {
    private static final String CLAIMED = "claimed";

    @TempDir
    private Path folder;

    private boolean isAlone() throws IOException {
        boolean[] ran = new boolean[1];
        boolean alone = FolderDisk.of(folder).alone(() -> ran[0] = true);
        assertThat(ran[0]).isEqualTo(alone);
        return alone;
    }

    @Test
    void everyReaderOfThisProcessCounts() throws IOException {
        assertThat(isAlone()).isTrue();
        Closeable first = FolderDisk.readOnly(folder).share();
        Closeable second = FolderDisk.readOnly(folder).share();
        assertThat(isAlone()).isFalse();
        first.close();
        first.close();
        assertThat(isAlone()).isFalse();
        second.close();
        assertThat(isAlone()).isTrue();
    }

    @Test
    void aReaderInAnotherProcessCounts() throws Exception {
        Process reader = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp", System.getProperty("java.class.path"), Reader.class.getName(), folder.toString()))
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (BufferedReader output = reader.inputReader(StandardCharsets.UTF_8)) {
            assertThat(output.readLine()).isEqualTo(CLAIMED);
            assertThat(isAlone()).isFalse();
            // A reader of this process comes and goes without an effect on the other one.
            FolderDisk.readOnly(folder).share().close();
            assertThat(isAlone()).isFalse();
        } finally {
            reader.destroyForcibly().waitFor();
        }
        assertThat(isAlone()).isTrue();
    }

    /** Claims a folder until it is killed. */
    static final class Reader {
        private Reader() {}

        public static void main(String[] args) throws Exception {
            Closeable claim = FolderDisk.readOnly(Path.of(args[0])).share();
            System.out.println(CLAIMED);
            var _ = System.in.read();
            claim.close();
        }
    }
}
