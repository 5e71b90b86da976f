package dev.weir.config.ucl;

import dev.weir.config.source.Origin;

/**
 * A text.
 *
 * @param text escapes resolved and variables expanded
 * @param quoted whether it stood in quotes or a heredoc, and so could never have been a number
 */
public record UclString(String text, boolean quoted, Origin origin, int priority) implements UclValue {}
