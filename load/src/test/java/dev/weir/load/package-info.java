/** Tests of the generator against storages that answer rightly, wrongly, twice or not at all. */
@NullMarked
package dev.weir.load;

import org.jspecify.annotations.NullMarked;
