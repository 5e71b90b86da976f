/**
 * The same text from one login to many recipients, as a mailbox sends it that was broken into. Look here when such a
 * mailbox is not reported, or a wrong one is (docs/integrate/outgoing.md).
 */
@NullMarked
package dev.weir.scan.outgoing;

import org.jspecify.annotations.NullMarked;
