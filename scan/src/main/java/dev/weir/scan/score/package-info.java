/**
 * From answers to scores: curves, the rules of images beside text, symbols, caps of groups, and the words in which
 * options and log lines are written (docs/reference/scanner.md#score).
 */
@NullMarked
package dev.weir.scan.score;

import org.jspecify.annotations.NullMarked;
