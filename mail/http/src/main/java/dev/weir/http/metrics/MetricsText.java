package dev.weir.http.metrics;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;

/**
 * A writer of metrics in the text format of Prometheus (0.0.4) or in OpenMetrics 1.0. The format is five rules, and the
 * library for it would bring seven other libraries along.
 */
public final class MetricsText {
    private static final double EXACT = 1L << 53;

    private MetricsText() {}

    /** The two formats. */
    public enum Format {
        /** The original format of Prometheus. */
        PROMETHEUS("text/plain; version=0.0.4; charset=utf-8"),
        /** The standard derived from it. */
        OPEN_METRICS("application/openmetrics-text; version=1.0.0; charset=utf-8");

        private final String type;

        Format(String type) {
            this.type = type;
        }

        /** Returns the Content-Type. */
        public String type() {
            return type;
        }

        /** Returns the format that a header {@code Accept} asks for. */
        public static Format accepted(String accept) {
            return accept.contains("application/openmetrics-text") ? OPEN_METRICS : PROMETHEUS;
        }
    }

    /** Returns the text of metrics, in the given order. */
    public static String write(List<Metric> metrics, Format format) {
        StringBuilder text = new StringBuilder(4096);
        for (Metric metric : metrics) {
            boolean counter = metric.type() == Metric.Type.COUNTER;
            String named = counter && format == Format.PROMETHEUS ? metric.name() + "_total" : metric.name();
            text.append("# HELP ").append(named).append(' ').append(escaped(metric.help(), false)).append('\n');
            text.append("# TYPE ").append(named).append(' ').append(metric.type().name().toLowerCase(Locale.ROOT))
                    .append('\n');
            for (Metric.Sample sample : metric.samples()) {
                text.append(metric.name()).append(counter ? "_total" : sample.suffix());
                labels(text, sample.labels());
                text.append(' ').append(number(sample.value())).append('\n');
            }
        }
        return format == Format.OPEN_METRICS ? text.append("# EOF\n").toString() : text.toString();
    }

    private static void labels(StringBuilder text, List<Metric.Label> labels) {
        String separator = "{";
        for (Metric.Label label : labels) {
            text.append(separator).append(label.name()).append("=\"").append(escaped(label.value(), true)).append('"');
            separator = ",";
        }
        if (!labels.isEmpty()) {
            text.append('}');
        }
    }

    private static String escaped(String text, boolean quotes) {
        String escaped = text.replace("\\", "\\\\").replace("\n", "\\n");
        return quotes ? escaped.replace("\"", "\\\"") : escaped;
    }

    private static String number(double value) {
        if (Double.isNaN(value)) {
            return "NaN";
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "+Inf" : "-Inf";
        }
        return value == Math.rint(value) && Math.abs(value) < EXACT
                ? Long.toString((long) value)
                : BigDecimal.valueOf(value).toPlainString();
    }
}
