package dev.weir.wire.key;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;

import static org.assertj.core.api.Assertions.assertThat;

/** Any text either decodes to the length that its characters determine, or is rejected. */
final class Base32FuzzTest {
    @FuzzTest
    void decode(@NotNull String text) {
        Base32.decode(text).ifPresent(bytes -> {
            assertThat(bytes.length).isBetween(text.length() * 5 / 8, text.length() * 5 / 8 + 1);
            assertThat(Base32.encode(bytes)).startsWith(text.substring(0, Math.max(0, text.length() - 1)));
        });
    }
}
