package dev.weir.config.ucl;

import dev.weir.config.source.Origin;

/**
 * A boolean, in any of its spellings.
 *
 * @param value the meaning of the word
 */
public record UclBoolean(boolean value, Origin origin, int priority) implements UclValue {}
