package dev.weir.config.ucl;

import dev.weir.config.source.Origin;

/**
 * A whole number with its multiplier applied.
 *
 * @param value a signed 64-bit number (docs/reference/configuration-language.md#numbers)
 */
public record UclInteger(long value, Origin origin, int priority) implements UclValue {}
