package dev.weir.http.metrics;

import java.util.List;

/**
 * A metric with its samples.
 *
 * @param name letters, digits and underscores, without {@code _total} for counters
 * @param type the type
 * @param help one sentence
 * @param samples the samples
 */
public record Metric(String name, Type type, String help, List<Sample> samples) {
    /** The types of metrics. */
    public enum Type {
        /** A number that grows from the start of the process on. */
        COUNTER,
        /** A number that goes up and down. */
        GAUGE,
        /** Counts by range. */
        HISTOGRAM
    }

    /**
     * One sample.
     *
     * @param suffix the suffix of the name; usually empty
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

    /** A label that distinguishes samples of one name. */
    public record Label(String name, String value) {}

    /** Copies the list and checks the name. */
    public Metric {
        if (!name.matches("[a-zA-Z_][a-zA-Z0-9_]*")) {
            throw new IllegalArgumentException("\"" + name + "\" is not a valid name of a metric");
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

    /** Returns numbers that only grow, distinguished by labels. */
    public static Metric counters(String name, String help, List<Sample> samples) {
        return new Metric(name, Type.COUNTER, help, samples);
    }
}
