package dev.weir.cli.logging;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Logback as SLF4J's provider, set up by {@link LogSetup}. SLF4J and Logback would otherwise open every library of the
 * class path to look for service files, which takes longer than {@code weir ping} needs for the rest.
 */
public final class LogProvider implements SLF4JServiceProvider {
    /** The system property by which SLF4J chooses a provider. */
    private static final String PROPERTY = "slf4j.provider";

    /** The system property with the lowest level of SLF4J's own reports. It would report the choice of the provider. */
    private static final String REPORTS = "slf4j.internal.verbosity";

    /** The version of SLF4J's interface that Logback needs, in SLF4J's form for "2.0 or later". */
    private static final String VERSION = "2.0.99";

    private final LoggerContext context = new LoggerContext();
    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final LogbackMDCAdapter diagnostics = new LogbackMDCAdapter();

    /**
     * Chooses this provider, unless the user chose a provider or a file of Logback. Call it before the first log line.
     */
    public static void use() {
        if (System.getProperty(PROPERTY) == null && System.getProperty(LogSetup.FILE) == null) {
            System.setProperty(PROPERTY, LogProvider.class.getName());
            System.setProperty(REPORTS, System.getProperty(REPORTS, "WARN"));
        }
    }

    @Override
    public void initialize() {
        context.setName("default");
        context.setMDCAdapter(diagnostics);
        new LogSetup().configure(context);
        context.start();
    }

    @Override
    public ILoggerFactory getLoggerFactory() {
        return context;
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return diagnostics;
    }

    @Override
    public String getRequestedApiVersion() {
        return VERSION;
    }
}
