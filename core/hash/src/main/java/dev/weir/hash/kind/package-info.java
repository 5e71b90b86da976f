/**
 * Lists the kinds of hashes, and makes those that Rspamd does not have: they recognize mails of one campaign, each by a
 * pure function of what a mail shows or links to (docs/integrate/kinds.md). Look here when mails of one campaign are
 * not near, or mails of different senders are.
 */
@NullMarked
package dev.weir.hash.kind;

import org.jspecify.annotations.NullMarked;
