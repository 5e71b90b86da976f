/** {@code weir import} and {@code weir export}. Look here when the chosen format or the progress report is wrong. */
@NullMarked
package dev.weir.cli.transfer;

import org.jspecify.annotations.NullMarked;
