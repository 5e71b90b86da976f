/**
 * Sending of queries at a pace, the time of each answer, and the result. Look here when a rate or a latency is in
 * doubt.
 */
@NullMarked
package dev.weir.load.stream;

import org.jspecify.annotations.NullMarked;
