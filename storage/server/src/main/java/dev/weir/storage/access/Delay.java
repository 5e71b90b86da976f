package dev.weir.storage.access;

import java.time.Duration;

import dev.weir.model.Networks;

/**
 * The delay before a newly learned flag becomes visible (docs/reference/storage.md#delay). A random part of up to half
 * the time is added, so that senders cannot tell when they hit a trap.
 *
 * @param time the minimum delay; zero or negative for none
 * @param exempt sources without a delay
 */
public record Delay(Duration time, Networks exempt) {
    /** No delay. */
    public static final Delay NONE = new Delay(Duration.ZERO, Networks.NONE);
}
