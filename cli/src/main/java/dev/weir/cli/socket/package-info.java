/** The control socket of a running storage: where it is, and its client. */
@NullMarked
package dev.weir.cli.socket;

import org.jspecify.annotations.NullMarked;
