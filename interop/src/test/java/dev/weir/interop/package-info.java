/** Runs the real programs (Rspamd, rspamc, the weir command in a separate process) against each other on loopback. */
@NullMarked
package dev.weir.interop;

import org.jspecify.annotations.NullMarked;
