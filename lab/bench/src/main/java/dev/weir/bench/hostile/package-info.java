/**
 * Holds {@code hostile}: random and mutated datagrams and frames from many addresses, and abandoned connections, beside
 * valid clients that must not be affected; look here to add an attack.
 */
@NullMarked
package dev.weir.bench.hostile;

import org.jspecify.annotations.NullMarked;
