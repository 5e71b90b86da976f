package dev.weir.cli.maintenance;

import dev.weir.storage.UpdateSubmitter;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LogCommandTest {
    @Test
    void whatStrangersSayIsSafeOnATerminal() {
        String text = "a\u202eb";
        assertThat(LogCommand.submitted(new UpdateSubmitter(text, text, text, text)))
                .isEqualTo(" client a\ufffdb by a\ufffdb user a\ufffdb mail <a\ufffdb>");
        assertThat(LogCommand.submitted(null)).isEmpty();
    }
}
