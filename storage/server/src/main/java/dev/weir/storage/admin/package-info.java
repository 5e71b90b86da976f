/**
 * The administration of a running storage: searches, campaigns, undo, dynamic keys, networks, the skip list and nodes.
 * Its classes take and return plain values; HTTP and the control socket read arguments and write results. Look here
 * when an operator's request does the wrong thing.
 */
@NullMarked
package dev.weir.storage.admin;

import org.jspecify.annotations.NullMarked;
