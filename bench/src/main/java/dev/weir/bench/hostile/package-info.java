/**
 * Traffic that a storage on the open network must stand: random and mutated datagrams and frames from many addresses, and
 * connections that are begun and left. Beside it go the clients that must not notice.
 */
@NullMarked
package dev.weir.bench.hostile;

import org.jspecify.annotations.NullMarked;
