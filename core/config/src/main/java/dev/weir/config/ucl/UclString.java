package dev.weir.config.ucl;

import dev.weir.config.source.Origin;

/**
 * A text.
 *
 * @param text the text with its escapes resolved and its variables expanded
 * @param quoted whether it was in quotes or a heredoc, so that it could not have been a number
 */
public record UclString(String text, boolean quoted, Origin origin, int priority) implements UclValue {}
