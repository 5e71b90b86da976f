/** Tests of what is read about processes. */
@NullMarked
package dev.weir.bench.peer;

import org.jspecify.annotations.NullMarked;
