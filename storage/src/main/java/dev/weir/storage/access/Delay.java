package dev.weir.storage.access;

import java.time.Duration;

/**
 * How long a flag of a hash is kept back after it was learned (storage.md 1.4): up to half as long again, by chance, so
 * that nobody can tell when a trap was hit.
 *
 * @param time the shortest time; zero or less for none
 * @param exempt sources that see everything at once
 */
public record Delay(Duration time, Networks exempt) {
    /** Nothing is kept back. */
    public static final Delay NONE = new Delay(Duration.ZERO, Networks.none());
}
