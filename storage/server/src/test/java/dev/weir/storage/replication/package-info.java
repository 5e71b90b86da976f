/** Tests of the messages between nodes, their filters and files; {@code storage.log} has the simulator. */
@NullMarked
package dev.weir.storage.replication;

import org.jspecify.annotations.NullMarked;
