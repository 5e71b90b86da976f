/** Holds the made-up hashes that a storage is filled with; look here to change what is stored before a run. */
@NullMarked
package dev.weir.load.population;

import org.jspecify.annotations.NullMarked;
