/**
 * The sources of configuration text: files, positions in them, and the problems found there.
 *
 * <p>Every reader of configuration uses these types to name places and to report problems.
 */
@NullMarked
package dev.weir.config.source;

import org.jspecify.annotations.NullMarked;
