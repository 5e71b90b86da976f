/** Tests imports and exports in every format. */
@NullMarked
package dev.weir.cli.transfer;

import org.jspecify.annotations.NullMarked;
