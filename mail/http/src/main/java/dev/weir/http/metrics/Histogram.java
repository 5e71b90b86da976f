package dev.weir.http.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;

/** A histogram with fixed ranges, in the form of Prometheus. Thread-safe; counting allocates nothing. */
public final class Histogram {
    private final double[] bounds;
    private final LongAdder[] counts;
    private final DoubleAdder sum = new DoubleAdder();

    /** Creates a histogram with ascending upper bounds. Values above the last bound count too. */
    public Histogram(List<Double> bounds) {
        this.bounds = bounds.stream().mapToDouble(Double::doubleValue).toArray();
        this.counts = new LongAdder[bounds.size() + 1];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    /** Counts a value. */
    public void observe(double value) {
        int bucket = 0;
        while (bucket < bounds.length && value > bounds[bucket]) {
            bucket++;
        }
        counts[bucket].increment();
        sum.add(value);
    }

    /** Returns the samples of a metric of type histogram: cumulative buckets, count and sum. */
    public List<Metric.Sample> samples() {
        List<Metric.Sample> samples = new ArrayList<>();
        long total = 0;
        for (int i = 0; i < counts.length; i++) {
            total += counts[i].sum();
            String bound = i < bounds.length ? Double.toString(bounds[i]) : "+Inf";
            samples.add(new Metric.Sample("_bucket", List.of(new Metric.Label("le", bound)), (double) total));
        }
        samples.add(new Metric.Sample("_count", List.of(), (double) total));
        samples.add(new Metric.Sample("_sum", List.of(), sum.sum()));
        return samples;
    }
}
