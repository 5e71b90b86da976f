package dev.weir.cli.logging;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import dev.weir.model.SafeText;

/** One line of text for each event: time, level, the simple name of the class, message; then the exception, if any. */
final class LineLayout extends LayoutBase<ILoggingEvent> {
    /** Padded to the longest name of a level. */
    private static final int LEVEL = 5;

    @Override
    public String doLayout(ILoggingEvent event) {
        String level = event.getLevel().toString();
        StringBuilder line = new StringBuilder();
        Time.FORMAT.formatTo(Instant.ofEpochMilli(event.getTimeStamp()), line);
        line.append(' ').append(level).repeat(' ', Math.max(0, LEVEL - level.length())).append(' ')
                .append(shortName(event)).append(": ").append(SafeText.ofLines(event.getFormattedMessage()))
                .append(System.lineSeparator());
        if (event.getThrowableProxy() != null) {
            line.append(SafeText.ofLines(ThrowableProxyUtil.asString(event.getThrowableProxy())));
        }
        return line.toString();
    }

    /** Returns the simple name of the class that logs. */
    static String shortName(ILoggingEvent event) {
        String name = event.getLoggerName();
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** Made at the first event, because most commands log none. */
    private static final class Time {
        static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", Locale.ROOT)
                .withZone(ZoneId.systemDefault());
    }
}
