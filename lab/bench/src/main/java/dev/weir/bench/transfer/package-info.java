/** The speed of imports and exports. */
@NullMarked
package dev.weir.bench.transfer;

import org.jspecify.annotations.NullMarked;
