/**
 * Holds {@code hostile}: random and mutated datagrams and frames from many addresses, and connections that are begun
 * and left, beside the clients that must not notice; look here to add an attack.
 */
@NullMarked
package dev.weir.bench.hostile;

import org.jspecify.annotations.NullMarked;
