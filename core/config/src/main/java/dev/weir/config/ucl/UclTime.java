package dev.weir.config.ucl;

import dev.weir.config.source.Origin;

/**
 * A number with a unit of time.
 *
 * @param seconds the time; may be negative or have a fraction
 */
public record UclTime(double seconds, Origin origin, int priority) implements UclValue {}
