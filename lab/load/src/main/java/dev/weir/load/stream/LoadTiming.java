package dev.weir.load.stream;

import java.time.Duration;

/**
 * The times of a load.
 *
 * @param warmUp time before the measurement
 * @param measured time of the measurement
 * @param patience time after which an unanswered query is given up
 */
public record LoadTiming(Duration warmUp, Duration measured, Duration patience) {
    /** Checks that the times are not negative. */
    public LoadTiming {
        if (warmUp.isNegative() || measured.isNegative() || measured.isZero() || patience.isNegative()
                || patience.isZero()) {
            throw new IllegalArgumentException("times of " + warmUp + ", " + measured + " and " + patience);
        }
    }
}
