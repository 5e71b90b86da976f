package dev.weir.http.metrics;

import java.util.List;

/**
 * Figures of one name.
 *
 * @param name letters, digits and underscores, without {@code _total} for counters
 * @param type what the figures are
 * @param help one sentence
 * @param samples the figures
 */
public record Metric(String name, Type type, String help, List<Sample> samples) {
    /** What figures are. */
    public enum Type {
        /** Grows from the start of the process on. */
        COUNTER,
        /** Goes up and down. */
        GAUGE,
        /** Counts in ranges. */
        HISTOGRAM
    }

    /**
     * One figure.
     *
     * @param suffix of the name, empty for most
     */
    public record Sample(String suffix, List<Label> labels, double value) {
        /** Copies the list. */
        public Sample {
            labels = List.copyOf(labels);
        }

        /** Returns a count. */
        public static Sample of(List<Label> labels, long count) {
            return new Sample("", labels, (double) count);
        }
    }

    /** What tells samples of one name apart. */
    public record Label(String name, String value) {}

    /** Copies the list and checks the name. */
    public Metric {
        if (!name.matches("[a-zA-Z_][a-zA-Z0-9_]*")) {
            throw new IllegalArgumentException("\"" + name + "\" is no name of a metric");
        }
        samples = List.copyOf(samples);
    }

    /** Returns a single number that goes up and down. */
    public static Metric gauge(String name, String help, long value) {
        return new Metric(name, Type.GAUGE, help, List.of(Sample.of(List.of(), value)));
    }

    /** Returns a single number that only grows. */
    public static Metric counter(String name, String help, long value) {
        return new Metric(name, Type.COUNTER, help, List.of(Sample.of(List.of(), value)));
    }

    /** Numbers that only grow, told apart by labels. */
    public static Metric counters(String name, String help, List<Sample> samples) {
        return new Metric(name, Type.COUNTER, help, samples);
    }
}
