/** Tests of the hashes of a population and of the requests about them. */
@NullMarked
package dev.weir.load.population;

import org.jspecify.annotations.NullMarked;
