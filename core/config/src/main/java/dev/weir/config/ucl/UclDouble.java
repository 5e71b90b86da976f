package dev.weir.config.ucl;

import dev.weir.config.source.Origin;

/**
 * A number with a fraction or an exponent.
 *
 * @param value the number; may be infinite or NaN if it was written that way
 */
public record UclDouble(double value, Origin origin, int priority) implements UclValue {}
