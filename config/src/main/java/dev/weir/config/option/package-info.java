/**
 * Options with a type: tables that say which options exist, and a reader that converts nothing silently.
 *
 * <p>What a section holds beyond its table is an error with file, line, column and a suggestion.
 */
@NullMarked
package dev.weir.config.option;

import org.jspecify.annotations.NullMarked;
