package dev.weir.storage.access;

import java.time.Duration;

import dev.weir.model.Networks;

/**
 * How long a flag of a hash is kept back after it was learned (docs/reference/storage.md#delay): up to half as long
 * again, by chance, so that no sender can tell when it hit a trap.
 *
 * @param time the shortest time; zero or less for none
 * @param exempt sources that see everything at once
 */
public record Delay(Duration time, Networks exempt) {
    /** Nothing is kept back. */
    public static final Delay NONE = new Delay(Duration.ZERO, Networks.NONE);
}
