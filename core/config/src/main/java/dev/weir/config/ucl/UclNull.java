package dev.weir.config.ucl;

import dev.weir.config.source.Origin;

/** The word {@code null}. */
public record UclNull(Origin origin, int priority) implements UclValue {}
