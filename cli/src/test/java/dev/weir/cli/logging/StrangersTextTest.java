package dev.weir.cli.logging;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.LoggingEvent;
import dev.weir.cli.terminal.JsonLines;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** Text of strangers must not turn around, hide or move what a terminal shows. */
final class StrangersTextTest {
    private static final String TEXT = "a\u202eb\u200bc\u001b[2Jd\u2066";
    private static final String SAFE = "a\ufffdb\ufffdc\ufffd[2Jd\ufffd";

    private static LoggingEvent event() {
        Logger logger = (Logger) LoggerFactory.getLogger(StrangersTextTest.class);
        return new LoggingEvent("x", logger, Level.WARN, "user {}", new IllegalStateException(TEXT),
                new Object[]{TEXT});
    }

    @Test
    void aLineOfTheLogIsSafe() {
        assertThat(new LineLayout().doLayout(event())).contains("user " + SAFE, "IllegalStateException: " + SAFE)
                .doesNotContain("\u202e", "\u200b", "\u001b", "\u2066");
    }

    @Test
    void anEntryOfTheJournalIsSafe() {
        assertThat(new String(JournalAppender.entry(event()), StandardCharsets.UTF_8)).contains("user " + SAFE)
                .doesNotContain("\u202e", "\u200b", "\u001b", "\u2066");
    }

    @Test
    void aLineOfJsonIsSafeAndHasTheWholeText() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        String text = TEXT + "\udb40\udc41 ü";
        JsonLines.line(new PrintStream(out, true, StandardCharsets.UTF_8), json -> json.writeStringProperty("user",
                text));
        String line = out.toString(StandardCharsets.UTF_8);
        assertThat(line).doesNotContain("\u202e", "\u200b", "\u001b", "\u2066", "\udb40").contains("\\u202e", "ü");
        assertThat(JsonMapper.shared().readTree(line).get("user").asString()).isEqualTo(text);
    }
}
