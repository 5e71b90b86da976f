/**
 * Holds {@code learn} and {@code burst}, which count durable updates and then what is stored; look here when an
 * acknowledged update is reported as lost.
 */
@NullMarked
package dev.weir.bench.durability;

import org.jspecify.annotations.NullMarked;
