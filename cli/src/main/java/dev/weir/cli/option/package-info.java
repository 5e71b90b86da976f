/** Holds options that several commands share, and how their values are read; look here when a value is refused. */
@NullMarked
package dev.weir.cli.option;

import org.jspecify.annotations.NullMarked;
