/**
 * From an accepted command to the disk: a bounded queue and the one thread that makes changes durable and visible.
 */
@NullMarked
package dev.weir.storage.queue;

import org.jspecify.annotations.NullMarked;
