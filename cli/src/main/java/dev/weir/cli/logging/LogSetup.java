package dev.weir.cli.logging;

import java.nio.charset.StandardCharsets;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;

/**
 * The setup of the log from the system properties {@code weir.log.*}. Logback finds this class by its service file. A
 * file of Logback's own property {@value #FILE} replaces it.
 */
public final class LogSetup extends ContextAwareBase implements Configurator {
    /** Logback's system property for a configuration file. */
    static final String FILE = "logback.configurationFile";

    private static final String PARTS = "dev.weir.";

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        if (System.getProperty(FILE) != null) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        // If the library cannot be loaded, the exception that follows reports this in one sentence.
        context.getLogger("org.sqlite.SQLiteJDBCLoader").setLevel(Level.OFF);
        // Anyone may cause their lines about broken connections and malformed requests.
        context.getLogger("org.subethamail").setLevel(Level.ERROR);
        context.getLogger("org.eclipse.jetty").setLevel(Level.ERROR);
        for (String part : LogLevels.PARTS) {
            if (LogLevels.EACH_MAIL.contains(part)) {
                context.getLogger(part).setLevel(level(part, Level.OFF));
            } else if (System.getProperty(LogLevels.PROPERTY + part) != null) {
                context.getLogger(PARTS + part).setLevel(level(part, Level.INFO));
            }
        }
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(level(LogLevels.ALL, Level.WARN));
        root.addAppender(appender(context));
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    private static Level level(String part, Level otherwise) {
        return Level.toLevel(System.getProperty(LogLevels.PROPERTY + part), otherwise);
    }

    private static Appender<ILoggingEvent> appender(LoggerContext context) {
        return switch (LogFormat.chosen()) {
            case TEXT -> console(context, text(context));
            case JSON -> console(context, json());
            case JOURNAL -> journal(context);
        };
    }

    /** Results go to standard output. The log is for the operator: on standard error, one event on each line. */
    private static Appender<ILoggingEvent> console(LoggerContext context, Encoder<ILoggingEvent> encoder) {
        encoder.setContext(context);
        encoder.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        appender.start();
        return appender;
    }

    private static Encoder<ILoggingEvent> text(LoggerContext context) {
        LineLayout layout = new LineLayout();
        layout.setContext(context);
        layout.start();
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setCharset(StandardCharsets.UTF_8);
        encoder.setLayout(layout);
        return encoder;
    }

    /** One JSON object on each line, for programs that collect logs. */
    private static Encoder<ILoggingEvent> json() {
        JsonEncoder encoder = new JsonEncoder();
        encoder.setWithSequenceNumber(false);
        encoder.setWithNanoseconds(false);
        encoder.setWithMessage(false);
        encoder.setWithArguments(false);
        encoder.setWithFormattedMessage(true);
        encoder.setWithContext(false);
        encoder.setWithMDC(false);
        encoder.setWithMarkers(false);
        encoder.setWithKVPList(false);
        return encoder;
    }

    private static Appender<ILoggingEvent> journal(LoggerContext context) {
        JournalAppender appender = new JournalAppender();
        appender.setContext(context);
        appender.start();
        return appender;
    }
}
