/**
 * From the configuration language to rules: {@code fuzzy_check} and the groups of symbols, as Rspamd's files have them
 * (docs/reference/scanner.md#rule-options).
 */
@NullMarked
package dev.weir.scan.rule;

import org.jspecify.annotations.NullMarked;
