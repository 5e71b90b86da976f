package dev.weir.config.ucl;

import dev.weir.config.source.Origin;

/**
 * A whole number, multipliers applied.
 *
 * @param value spec/ucl.md section 4.5: 64 bits, signed
 */
public record UclInteger(long value, Origin origin, int priority) implements UclValue {}
