/**
 * The path of an accepted update to the disk: a bounded queue, and the thread that makes updates durable and visible.
 */
@NullMarked
package dev.weir.storage.queue;

import org.jspecify.annotations.NullMarked;
