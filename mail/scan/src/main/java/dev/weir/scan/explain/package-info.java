/**
 * Explanations: how a mail becomes hashes, what two mails have in common, and whether everything is ready for learning.
 * Look here when a reason is wrong.
 */
@NullMarked
package dev.weir.scan.explain;

import org.jspecify.annotations.NullMarked;
