/**
 * Spam traps (docs/integrate/traps.md): unused addresses, so that all their mail is unwanted.
 * {@link dev.weir.trap.TrapService} takes their mail and learns what enough independent sources sent.
 */
@NullMarked
package dev.weir.trap;

import org.jspecify.annotations.NullMarked;
