/**
 * Many nodes with one Redis or Valkey (docs/operate/nodes.md#many-nodes). Each node keeps its update log, its index and
 * its store. {@link dev.weir.storage.shared.Pusher} sends the node's updates to Redis in batches that a script applies
 * once, and {@link dev.weir.storage.shared.StreamTail} sets the index to the states that Redis reports in its streams.
 */
@NullMarked
package dev.weir.storage.shared;

import org.jspecify.annotations.NullMarked;
