package dev.weir.http.access;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;

import static org.assertj.core.api.Assertions.assertThat;

/** Any text in a configuration is a password, a hash, or a damaged hash that matches nothing. */
final class StoredPasswordFuzzTest {
    @FuzzTest
    void anyText(@NotNull String text) {
        StoredPassword stored = StoredPassword.parse(text);
        assertThat(stored.isPlain() || stored.isDamaged() || stored.isSlow()).isTrue();
        if (stored.isDamaged()) {
            assertThat(stored.matches(new byte[0])).isFalse();
        }
        if (stored.isSlow()) {
            assertThat(text).matches("\\$[12]\\$[a-z0-9]{32}\\$[a-z0-9]{52}");
        }
        assertThat(stored.toString()).isEqualTo("StoredPassword[redacted]");
    }
}
