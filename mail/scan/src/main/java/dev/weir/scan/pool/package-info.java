/**
 * The threads that hash mails: a bounded pool with a bounded queue and a fair share for each source of mails, so that
 * no mail keeps the rest of the process waiting.
 */
@NullMarked
package dev.weir.scan.pool;

import org.jspecify.annotations.NullMarked;
