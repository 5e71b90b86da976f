/** Tests of what measures the index. */
@NullMarked
package dev.weir.bench.index;

import org.jspecify.annotations.NullMarked;
