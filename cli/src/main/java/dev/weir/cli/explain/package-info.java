/** {@code weir explain}: how a mail becomes hashes and what two mails have in common, for people and for programs. */
@NullMarked
package dev.weir.cli.explain;

import org.jspecify.annotations.NullMarked;
