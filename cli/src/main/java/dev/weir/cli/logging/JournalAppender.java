package dev.weir.cli.logging;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import dev.weir.model.SafeText;
import dev.weir.model.failure.Reason;
import dev.weir.os.UnixDatagrams;

/**
 * Writes the log to the journal of systemd in its own protocol (systemd's JOURNAL_NATIVE_PROTOCOL), so that
 * {@code journalctl} can select by PRIORITY, LOGGER and THREAD. An event with an exception also has the field
 * EXCEPTION. What the journal does not take goes to standard error, which systemd records too.
 */
final class JournalAppender extends AppenderBase<ILoggingEvent> {
    /** The longest value of a field in characters; a datagram must fit into the buffer of the socket. */
    private static final int MAX_VALUE = 32_000;

    private static final String SOCKET = "/run/systemd/journal/socket";

    private Optional<UnixDatagrams> journal = Optional.empty();

    @Override
    public void start() {
        journal = UnixDatagrams.to(System.getProperty("weir.log.journal", SOCKET));
        super.start();
    }

    @Override
    protected void append(ILoggingEvent event) {
        try {
            if (journal.isPresent()) {
                journal.get().send(entry(event));
                return;
            }
        } catch (IOException e) {
            // There is no journal, or it is restarting.
            toStandardError(event, " (not in the journal: " + Reason.of(e) + ")");
            return;
        }
        toStandardError(event, "");
    }

    private static void toStandardError(ILoggingEvent event, String why) {
        System.err.println(event.getLevel() + " " + LineLayout.shortName(event) + ": "
                + SafeText.ofLines(event.getFormattedMessage())
                + why);
    }

    /** Returns the fields of an event as the journal reads them. */
    static byte[] entry(ILoggingEvent event) {
        ByteArrayOutputStream entry = new ByteArrayOutputStream();
        field(entry, "MESSAGE", SafeText.ofLines(event.getFormattedMessage()));
        field(entry, "PRIORITY", Integer.toString(priority(event.getLevel())));
        field(entry, "SYSLOG_IDENTIFIER", "weir");
        field(entry, "LOGGER", LineLayout.shortName(event));
        field(entry, "THREAD", event.getThreadName());
        if (event.getThrowableProxy() != null) {
            field(entry, "EXCEPTION",
                    SafeText.ofLines(ThrowableProxyUtil.asString(event.getThrowableProxy())));
        }
        return entry.toByteArray();
    }

    private static void field(ByteArrayOutputStream entry, String name, String value) {
        byte[] bytes = (value.length() > MAX_VALUE ? value.substring(0, MAX_VALUE) : value)
                .getBytes(StandardCharsets.UTF_8);
        entry.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
        // With its length, a value may have several lines.
        entry.write('\n');
        entry.writeBytes(ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(bytes.length).array());
        entry.writeBytes(bytes);
        entry.write('\n');
    }

    /** Returns the priority of syslog(3). */
    private static int priority(Level level) {
        if (level.isGreaterOrEqual(Level.ERROR)) {
            return 3;
        }
        if (level.isGreaterOrEqual(Level.WARN)) {
            return 4;
        }
        return level.isGreaterOrEqual(Level.INFO) ? 6 : 7;
    }
}
