package dev.weir.bench.report;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import org.HdrHistogram.Histogram;

/** A Markdown table with aligned columns, readable on a terminal and in a page. For one thread. */
public final class Table {
    private final List<List<String>> rows = new ArrayList<>();

    public Table(String... head) {
        rows.add(List.of(head));
    }

    public Table row(String... cells) {
        if (cells.length != rows.getFirst().size()) {
            throw new IllegalArgumentException(cells.length + " cells for " + rows.getFirst().size() + " columns");
        }
        rows.add(List.of(cells));
        return this;
    }

    @Override
    public String toString() {
        int columns = rows.getFirst().size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int c = 0; c < columns; c++) {
                widths[c] = Math.max(widths[c], row.get(c).length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (int r = 0; r < rows.size(); r++) {
            text.append('|');
            for (int c = 0; c < columns; c++) {
                String cell = rows.get(r).get(c);
                String padding = " ".repeat(widths[c] - cell.length());
                text.append(' ').append(c == 0 ? cell + padding : padding + cell).append(" |");
            }
            text.append('\n');
            if (r == 0) {
                for (int c = 0; c < columns; c++) {
                    text.append(c == 0 ? "|---" : "|--:");
                }
                text.append("|\n");
            }
        }
        return text.toString();
    }

    /** Formats a number in groups of three digits. */
    public static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    /** Formats a rounded rate. */
    public static String rate(double value) {
        return number(Math.round(value));
    }

    /** Formats a time with about three digits and a suitable unit. */
    public static String time(long nanos) {
        if (nanos < 1_000_000) {
            return String.format(Locale.ROOT, "%d µs", nanos / 1_000);
        }
        if (nanos < 1_000_000_000) {
            return String.format(Locale.ROOT, nanos < 10_000_000 ? "%.2f ms" : "%.0f ms", nanos / 1e6);
        }
        return String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
    }

    public static String time(Duration duration) {
        return time(duration.toNanos());
    }

    public static String time(Histogram histogram, double percentile) {
        return histogram.getTotalCount() == 0 ? "-" : time(histogram.getValueAtPercentile(percentile));
    }
}
