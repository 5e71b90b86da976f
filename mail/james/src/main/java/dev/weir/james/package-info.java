/**
 * A matcher and mailets for Apache James 3.9 that ask storages about mails and teach them (docs/integrate/james.md).
 * All that name the same configuration share one client.
 */
@NullMarked
package dev.weir.james;

import org.jspecify.annotations.NullMarked;
