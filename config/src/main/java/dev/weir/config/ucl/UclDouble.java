package dev.weir.config.ucl;

import dev.weir.config.source.Origin;

/**
 * A number with a fraction or an exponent.
 *
 * @param value may be infinite or not a number, if it was written so
 */
public record UclDouble(double value, Origin origin, int priority) implements UclValue {}
