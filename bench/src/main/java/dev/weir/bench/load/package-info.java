/** Clients: learns in a closed loop, checks at a fixed rate, and single questions; all of them over UDP on loopback. */
@NullMarked
package dev.weir.bench.load;

import org.jspecify.annotations.NullMarked;
