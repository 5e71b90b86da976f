package dev.weir.config.ucl;

import dev.weir.config.source.Origin;

/**
 * A whole number, multipliers applied.
 *
 * @param value docs/reference/configuration-language.md#numbers: 64 bits, signed
 */
public record UclInteger(long value, Origin origin, int priority) implements UclValue {}
