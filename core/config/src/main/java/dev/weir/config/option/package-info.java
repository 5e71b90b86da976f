/**
 * Typed options: tables of the supported options, and a reader that converts nothing silently.
 *
 * <p>A key that is missing from the table of its section is an error with file, line, column and a suggestion.
 */
@NullMarked
package dev.weir.config.option;

import org.jspecify.annotations.NullMarked;
