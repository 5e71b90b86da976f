package dev.weir.wire.key;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;

import static org.assertj.core.api.Assertions.assertThat;

/** Any text either parses or fails with an error at one of its lines. */
final class KeyFileFuzzTest {
    @FuzzTest
    void parse(@NotNull String text) {
        try {
            assertThat(KeyFile.parse(text).toString()).contains("redacted");
        } catch (KeyFileException e) {
            assertThat((long) e.line()).isBetween(1L, 1 + text.chars().filter(c -> c == '\n').count());
        }
    }
}
