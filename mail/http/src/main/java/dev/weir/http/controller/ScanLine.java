package dev.weir.http.controller;

import java.time.Duration;
import java.util.Locale;
import java.util.StringJoiner;

import dev.weir.model.SafeText;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;
import dev.weir.scan.score.SymbolResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The optional log line of each scanned mail. Its logger has a separate name, so that it can be enabled alone. Text
 * from a mail or a client is quoted and cannot start another line or field.
 */
public final class ScanLine {
    /** The name of the logger, for log settings. */
    static final String LOGGER = "scans";

    private static final Logger LOG = LoggerFactory.getLogger(LOGGER);
    private static final int MAX_TEXT = 200;

    private ScanLine() {}

    /**
     * Logs a scan.
     *
     * @param id the Message-ID without brackets
     */
    public static void log(String id, ScanContext context, ScanResult result, String action, Duration time) {
        if (LOG.isInfoEnabled()) {
            LOG.info("{}", text(id, context, result, action, time));
        }
    }

    static String text(String id, ScanContext context, ScanResult result, String action, Duration time) {
        StringJoiner line = new StringJoiner(" ");
        line.add("id=" + quoted(id));
        line.add("ip=" + (context.ip() == null ? "-" : context.ip().getHostAddress()));
        line.add("queue-id=" + quoted(context.queueId()));
        line.add("user=" + quoted(context.user()));
        line.add("from=" + quoted(context.from()));
        line.add("action=" + quoted(action));
        line.add(String.format(Locale.ROOT, "score=%.2f", result.score()));
        StringJoiner symbols = new StringJoiner(",", "symbols=", "");
        symbols.setEmptyValue("symbols=-");
        for (SymbolResult symbol : result.symbols()) {
            symbols.add(String.format(Locale.ROOT, "%s(%.2f)", symbol.name(), symbol.score()));
        }
        line.add(symbols.toString());
        if (!result.complete()) {
            line.add("unanswered=" + result.failures().size());
        }
        return line.add("ms=" + time.toMillis()).toString();
    }

    private static String quoted(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return "-";
        }
        StringBuilder quoted = new StringBuilder("\"");
        String safe = SafeText.of(text);
        for (int i = 0; i < Math.min(safe.length(), MAX_TEXT); i++) {
            char c = safe.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
