package dev.weir.load.stream;

import java.time.Duration;

/**
 * How long a load lasts.
 *
 * @param warmUp before anything is measured
 * @param measured what counts
 * @param patience after which a query without an answer is given up
 */
public record LoadTiming(Duration warmUp, Duration measured, Duration patience) {
    /** Checks that time goes forward. */
    public LoadTiming {
        if (warmUp.isNegative() || measured.isNegative() || measured.isZero() || patience.isNegative()
                || patience.isZero()) {
            throw new IllegalArgumentException("times of " + warmUp + ", " + measured + " and " + patience);
        }
    }
}
