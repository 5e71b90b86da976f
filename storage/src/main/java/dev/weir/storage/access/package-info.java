/**
 * Who may do what: the rules as plain data ({@link dev.weir.storage.access.Access}), and the one place that applies them
 * to a request ({@link dev.weir.storage.access.Gate}), with the rate limits that it keeps. Order and meaning are those of
 * Rspamd (docs/reference/storage.md#order-of-decisions); docs/access.md has them with the table of all answers.
 */
@NullMarked
package dev.weir.storage.access;

import org.jspecify.annotations.NullMarked;
