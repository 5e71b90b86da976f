/**
 * The translation of configuration into rules: {@code fuzzy_check} and the symbol groups, as in Rspamd's files
 * (docs/reference/scanner.md#rule-options).
 */
@NullMarked
package dev.weir.scan.rule;

import org.jspecify.annotations.NullMarked;
