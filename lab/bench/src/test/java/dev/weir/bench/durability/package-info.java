/** Tests what the measurement of durable updates relies on. */
@NullMarked
package dev.weir.bench.durability;

import org.jspecify.annotations.NullMarked;
