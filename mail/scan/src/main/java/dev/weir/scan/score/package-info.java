/**
 * The computation of scores from answers: curves, the rules for images next to text, symbols, group caps, and the
 * formats of symbol options and log lines (docs/reference/scanner.md#score).
 */
@NullMarked
package dev.weir.scan.score;

import org.jspecify.annotations.NullMarked;
