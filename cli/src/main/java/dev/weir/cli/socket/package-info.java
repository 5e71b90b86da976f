/** The client of the control socket of a running storage. */
@NullMarked
package dev.weir.cli.socket;

import org.jspecify.annotations.NullMarked;
