package dev.weir.cli.logging;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.Configurator.ExecutionStatus;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.read.ListAppender;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpLimits;
import dev.weir.http.message.WholeRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The log that {@link LogSetup} makes from system properties, in contexts of their own. */
class LogSetupTest {
    private final Properties before = new Properties();

    /** A server that another test starts in this process sets levels, and they stay. */
    @BeforeEach
    void takeTheLevelsAway() {
        before.putAll(levels());
        System.getProperties().keySet().removeAll(before.keySet());
    }

    @AfterEach
    void putTheLevelsBack() {
        System.getProperties().putAll(before);
    }

    private static Map<?, ?> levels() {
        return System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith(LogLevels.PROPERTY))
                .collect(Collectors.toMap(name -> name, System::getProperty));
    }

    private static LoggerContext configured(Map<String, String> properties) {
        properties.forEach(System::setProperty);
        try {
            LoggerContext context = new LoggerContext();
            assertThat(new LogSetup().configure(context)).isEqualTo(ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY);
            return context;
        } finally {
            properties.keySet().forEach(System::clearProperty);
        }
    }

    private static Appender<ILoggingEvent> appender(LoggerContext context) {
        List<Appender<ILoggingEvent>> appenders = new ArrayList<>();
        context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).iteratorForAppenders().forEachRemaining(appenders::add);
        assertThat(appenders).hasSize(1);
        return appenders.getFirst();
    }

    @Test
    void aCommandWarnsOnly() {
        LoggerContext context = configured(Map.of());
        assertThat(context.getLogger("dev.weir.storage.engine.Engine").getEffectiveLevel()).isEqualTo(Level.WARN);
        assertThat(context.getLogger("scans").getEffectiveLevel()).isEqualTo(Level.OFF);
        assertThat(context.getLogger("traps").getEffectiveLevel()).isEqualTo(Level.OFF);
        assertThat(((ConsoleAppender<ILoggingEvent>) appender(context)).getTarget()).isEqualTo("System.err");
    }

    /** Jetty warns of it, but a client could fill the log. */
    @ParameterizedTest
    @ValueSource(strings = {"[]", "a:b", "a:99999999", "@", "a b"})
    void aMalformedHostLogsNothing(String host) {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger jetty = context.getLogger("org.eclipse.jetty");
        jetty.addAppender(lines);
        try {
            assertThatExceptionOfType(HttpException.class).isThrownBy(() -> WholeRequest.read(
                    ("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII),
                    HttpLimits.DEFAULT)).matches(e -> e.status() == 400);
            assertThat(lines.list).isEmpty();
        } finally {
            jetty.detachAppender(lines);
        }
    }

    @Test
    void everyPartHasItsLevel() {
        LoggerContext context = configured(
                Map.of("weir.log.level", "info", "weir.log.http", "DEBUG", "weir.log.scans", "INFO"));
        assertThat(context.getLogger("dev.weir.storage.engine.Engine").getEffectiveLevel()).isEqualTo(Level.INFO);
        assertThat(context.getLogger("dev.weir.http.server.HttpServer").getEffectiveLevel()).isEqualTo(Level.DEBUG);
        assertThat(context.getLogger("scans").getEffectiveLevel()).isEqualTo(Level.INFO);
    }

    @Test
    void theFormIsChosen() {
        assertThat(((ConsoleAppender<ILoggingEvent>) appender(configured(Map.of("weir.log.format", "json"))))
                .getEncoder()).isInstanceOf(JsonEncoder.class);
        assertThat(appender(configured(Map.of("weir.log.format", "JOURNAL", "weir.log.journal", "/nowhere"))))
                .isInstanceOf(JournalAppender.class);
    }

    @Test
    void aFileOfTheUserReplacesIt() {
        System.setProperty(LogSetup.FILE, "/etc/weir/logback.xml");
        try {
            assertThat(new LogSetup().configure(new LoggerContext())).isEqualTo(ExecutionStatus.INVOKE_NEXT_IF_ANY);
        } finally {
            System.clearProperty(LogSetup.FILE);
        }
    }

    /** A line is what a pattern of Logback makes. */
    @Test
    void aLineIsAsLogbackWritesIt() {
        LoggerContext context = new LoggerContext();
        PatternLayout pattern = new PatternLayout();
        pattern.setContext(context);
        pattern.setPattern("%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %logger{0}: %msg%n");
        pattern.start();
        Logger logger = context.getLogger("dev.weir.storage.log.UpdateLog");
        for (Level level : List.of(Level.TRACE, Level.DEBUG, Level.INFO, Level.WARN, Level.ERROR)) {
            LoggingEvent event = new LoggingEvent("", logger, level, "für {}", null, new Object[]{"alle"});
            assertThat(new LineLayout().doLayout(event)).isEqualTo(pattern.doLayout(event)).contains("für alle");
        }
        LoggingEvent failure = new LoggingEvent("", logger, Level.ERROR, "failed",
                new IllegalStateException("outer", new IllegalArgumentException("inner")), null);
        assertThat(new LineLayout().doLayout(failure)).isEqualTo(pattern.doLayout(failure)).contains("inner");
    }
}
