package dev.weir.http.controller;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;

import static org.assertj.core.api.Assertions.assertThat;

/** Any mail has a name of one line. */
final class MessageIdFuzzTest {
    @FuzzTest
    void anyMail(byte @NotNull [] mail) {
        assertThat(MessageId.of(mail)).isNotEmpty().doesNotContain("\n", "\r", "\0").hasSizeLessThanOrEqualTo(1024);
    }
}
