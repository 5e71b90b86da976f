/** Artificial hashes for filling a storage. Look here to change what is stored before a run. */
@NullMarked
package dev.weir.load.population;

import org.jspecify.annotations.NullMarked;
