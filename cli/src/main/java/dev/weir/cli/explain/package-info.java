/**
 * {@code weir explain}: a report of how a mail becomes hashes and what two mails have in common. Look here when a
 * reason is wrong.
 */
@NullMarked
package dev.weir.cli.explain;

import org.jspecify.annotations.NullMarked;
