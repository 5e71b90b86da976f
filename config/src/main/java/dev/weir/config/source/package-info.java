/**
 * Where configuration text comes from: files, positions in them, and what is wrong there.
 *
 * <p>Everything that reads configuration names places and reports problems with these types.
 */
@NullMarked
package dev.weir.config.source;

import org.jspecify.annotations.NullMarked;
