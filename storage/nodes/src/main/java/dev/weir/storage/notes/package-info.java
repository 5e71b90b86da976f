/**
 * What nodes tell each other besides updates. {@link dev.weir.storage.notes.NodeNotes} writes and reads it; the shared
 * Redis and the feed of a leader carry it as bytes. Look here when nodes do not add their counts
 * (docs/operate/waves.md#many-nodes).
 */
@NullMarked
package dev.weir.storage.notes;

import org.jspecify.annotations.NullMarked;
