/** Tests of what commands print on a terminal. */
@NullMarked
package dev.weir.cli.terminal;

import org.jspecify.annotations.NullMarked;
