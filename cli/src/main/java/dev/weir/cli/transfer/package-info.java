/** Holds {@code weir import} and {@code weir export}; look here when a format is not chosen, or progress is wrong. */
@NullMarked
package dev.weir.cli.transfer;

import org.jspecify.annotations.NullMarked;
