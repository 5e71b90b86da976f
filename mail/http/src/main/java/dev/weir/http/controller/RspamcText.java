package dev.weir.http.controller;

import java.util.Locale;

import dev.weir.scan.ScanResult;
import dev.weir.scan.score.SymbolResult;

/** The result of a scan in RSPAMC, the protocol of Rspamd that Exim speaks (docs/reference/rspamd-http.md#rspamc). */
final class RspamcText {
    private RspamcText() {}

    /**
     * Returns the lines of a reply after the first.
     *
     * @param required the threshold of rejection; NaN if there is none
     * @param id the Message-ID; empty if the mail has none
     */
    static String of(ScanResult result, String action, double required, String id) {
        StringBuilder out = new StringBuilder(256);
        line(out, String.format(Locale.ROOT, "Metric: default; %s; %.2f / %.2f / 0.0",
                action.equals(Actions.REJECT) ? "True" : "False", result.score(), required));
        line(out, "Action: " + action);
        for (SymbolResult symbol : result.symbols()) {
            line(out, "Symbol: " + scored(symbol));
        }
        for (SymbolResult symbol : result.symbols()) {
            line(out, "X-Symbol: " + scored(symbol)
                    + (symbol.description().isEmpty() ? "" : "; " + symbol.description())
                    + (symbol.options().isEmpty() ? "" : " [" + String.join(", ", symbol.options()) + "]"));
        }
        result.notHashed().ifPresent(reason -> line(out, "Message: the mail is not hashed: " + reason));
        if (!result.failures().isEmpty()) {
            line(out, "Message: a storage did not answer or refused");
        }
        if (!id.isEmpty()) {
            line(out, "Message-ID: " + id);
        }
        return out.toString();
    }

    private static String scored(SymbolResult symbol) {
        return String.format(Locale.ROOT, "%s(%.2f)", symbol.name(), symbol.score());
    }

    /** Appends a line. A character that would end it becomes a space, so that a mail cannot forge a line. */
    private static void line(StringBuilder out, String text) {
        text.chars().map(c -> c < ' ' || c == 127 ? ' ' : c).forEach(c -> out.append((char) c));
        out.append("\r\n");
    }
}
