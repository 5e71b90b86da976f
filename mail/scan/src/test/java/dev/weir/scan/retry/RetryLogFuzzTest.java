package dev.weir.scan.retry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.testkit.TestFolders;

import static org.assertj.core.api.Assertions.assertThat;

/** A fuzz test of retry queue files with arbitrary content. */
final class RetryLogFuzzTest {
    @FuzzTest
    void file(byte[] bytes) throws IOException {
        Path folder = TestFolders.make("weir-retry");
        Path file = folder.resolve("queue");
        try {
            Files.write(file, bytes);
            RetryLog.Opened first;
            try {
                first = RetryLog.open(file);
            } catch (IOException refused) {
                assertThat(Files.readAllBytes(file)).isEqualTo(bytes);
                return;
            }
            first.log().close();
            assertThat(first.cutBytes()).isLessThanOrEqualTo(bytes.length);
            if (first.damaged().isPresent()) {
                assertThat(Files.readAllBytes(first.damaged().get())).isEqualTo(Arrays.copyOfRange(bytes,
                        Math.toIntExact(first.cutAt()), bytes.length));
            }
            // The accepted updates are read again, and nothing more is removed.
            RetryLog.Opened second = RetryLog.open(file);
            second.log().close();
            assertThat(second.cutBytes()).isZero();
            assertThat(second.pending().sequencedKeySet()).containsExactlyElementsOf(first.pending().sequencedKeySet());
        } finally {
            Files.deleteIfExists(folder.resolve("queue"));
            Files.deleteIfExists(folder.resolve("queue.lock"));
            Files.deleteIfExists(folder.resolve("queue.damaged"));
            Files.deleteIfExists(folder);
        }
    }
}
