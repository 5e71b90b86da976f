/** Tests of the clients against servers whose behaviour the test decides. */
@NullMarked
package dev.weir.bench.load;

import org.jspecify.annotations.NullMarked;
