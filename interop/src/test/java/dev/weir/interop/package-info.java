/** Runs the real programs (Rspamd, rspamc, the weir command in a process of its own) against each other on loopback. */
@NullMarked
package dev.weir.interop;

import org.jspecify.annotations.NullMarked;
