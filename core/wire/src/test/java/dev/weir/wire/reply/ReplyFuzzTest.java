package dev.weir.wire.reply;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import dev.weir.wire.Protocol;

import static org.assertj.core.api.Assertions.assertThat;

/** Decodes arbitrary bytes. */
final class ReplyFuzzTest {
    @FuzzTest
    void decode(byte @NotNull [] bytes) {
        Reply.decode(bytes, 0, bytes.length).ifPresent(reply -> {
            assertThat(reply.layout().size()).isEqualTo(bytes.length);
            assertThat(reply.extras()).hasSizeLessThanOrEqualTo(Protocol.MAX_EXTRA_FLAGS);
            assertThat(reply.toString()).isNotEmpty();
            assertThat(Reply.decode(bytes.clone(), 0, bytes.length)).hasValue(reply);
        });
    }
}
