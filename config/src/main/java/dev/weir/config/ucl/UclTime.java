package dev.weir.config.ucl;

import dev.weir.config.source.Origin;

/**
 * A number that was written with a unit of time.
 *
 * @param seconds may be negative; parts of a second are kept
 */
public record UclTime(double seconds, Origin origin, int priority) implements UclValue {}
