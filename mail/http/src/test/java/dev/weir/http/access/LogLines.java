package dev.weir.http.access;

import java.util.List;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.slf4j.LoggerFactory;

/** The messages that a class logs until this is closed. */
record LogLines(Logger logger, ListAppender<ILoggingEvent> lines) implements AutoCloseable {
    static LogLines of(Class<?> logs) {
        LogLines lines = new LogLines((Logger) LoggerFactory.getLogger(logs), new ListAppender<>());
        lines.lines.start();
        lines.logger.addAppender(lines.lines);
        return lines;
    }

    List<String> messages() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Override
    public void close() {
        logger.detachAppender(lines);
    }
}
