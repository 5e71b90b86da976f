package dev.weir.cli.logging;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class JournalAppenderTest {
    private static final Logger LOGGER = new LoggerContext().getLogger("dev.weir.storage.log.UpdateLog");

    /** Reads an entry as the journal does: a name, a line end, the length in 8 bytes, the value, a line end. */
    private static Map<String, String> fields(Level level, String message, @Nullable Throwable failure) {
        ByteBuffer entry = ByteBuffer.wrap(JournalAppender
                .entry(new LoggingEvent("", LOGGER, level, message, failure, new Object[]{"a\nb"})))
                .order(ByteOrder.LITTLE_ENDIAN);
        Map<String, String> fields = new LinkedHashMap<>();
        while (entry.hasRemaining()) {
            StringBuilder name = new StringBuilder();
            for (byte next = entry.get(); next != '\n'; next = entry.get()) {
                name.append((char) next);
            }
            byte[] value = new byte[(int) entry.getLong()];
            entry.get(value);
            assertThat(entry.get()).isEqualTo((byte) '\n');
            fields.put(name.toString(), new String(value, StandardCharsets.UTF_8));
        }
        return fields;
    }

    @Test
    void anEventHasTheFieldsOfTheJournal() {
        Map<String, String> fields = fields(Level.WARN, "für {}", null);
        assertThat(fields).containsEntry("MESSAGE", "für a\nb").containsEntry("PRIORITY", "4")
                .containsEntry("LOGGER", "UpdateLog").containsEntry("SYSLOG_IDENTIFIER", "weir")
                .containsEntry("THREAD", Thread.currentThread().getName()).doesNotContainKey("EXCEPTION");
        assertThat(fields(Level.ERROR, "", null)).containsEntry("PRIORITY", "3");
        assertThat(fields(Level.INFO, "", null)).containsEntry("PRIORITY", "6");
        assertThat(fields(Level.DEBUG, "", null)).containsEntry("PRIORITY", "7");
    }

    @Test
    void anExceptionStaysInOneFieldAndALongMessageIsCut() {
        Map<String, String> fields = fields(Level.ERROR, "x".repeat(100_000), new IllegalStateException("why"));
        assertThat(fields.get("EXCEPTION")).contains("IllegalStateException: why").contains("\n");
        assertThat(fields.get("MESSAGE")).hasSize(32_000);
    }
}
