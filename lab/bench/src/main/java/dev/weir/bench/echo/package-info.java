/**
 * A server that does nothing but take a datagram and send one, in Java: what is left of its rate is what a storage
 * costs.
 */
@NullMarked
package dev.weir.bench.echo;

import org.jspecify.annotations.NullMarked;
