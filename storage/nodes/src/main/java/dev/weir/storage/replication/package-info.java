/**
 * The following of one node by another, without sockets: {@link dev.weir.storage.replication.Leader} serves the records
 * of the update log and checkpoints, {@link dev.weir.storage.replication.Follower} applies them, and {@link
 * dev.weir.storage.replication.Message} is what they say to each other (docs/operate/nodes.md).
 */
@NullMarked
package dev.weir.storage.replication;

import org.jspecify.annotations.NullMarked;
