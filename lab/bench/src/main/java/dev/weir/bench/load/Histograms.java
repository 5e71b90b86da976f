package dev.weir.bench.load;

import org.HdrHistogram.Histogram;

/** Sums of the histograms of several loads. */
public final class Histograms {
    private Histograms() {}

    /** Returns a new histogram with the values of both. */
    public static Histogram sum(Histogram some, Histogram others) {
        Histogram sum = some.copy();
        sum.add(others);
        return sum;
    }
}
