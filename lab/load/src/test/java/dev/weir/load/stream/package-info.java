/** Tests the generator against storages that answer rightly, wrongly, twice or not at all. */
@NullMarked
package dev.weir.load.stream;

import org.jspecify.annotations.NullMarked;
