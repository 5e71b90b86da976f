/**
 * The fuzzy protocol as bytes: commands, replies, key pairs and the box that encrypts them.
 *
 * <p>No I/O, no threads: everything here turns bytes into values and back.
 */
@NullMarked
package dev.weir.wire;

import org.jspecify.annotations.NullMarked;
