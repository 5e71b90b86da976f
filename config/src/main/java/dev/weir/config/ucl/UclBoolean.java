package dev.weir.config.ucl;

import dev.weir.config.source.Origin;

/**
 * True or false, in any of its spellings.
 *
 * @param value what the word means
 */
public record UclBoolean(boolean value, Origin origin, int priority) implements UclValue {}
