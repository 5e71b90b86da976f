/**
 * The store: files from which a start builds the index within seconds, so that no database is needed.
 *
 * <pre>
 *   UpdateWriter --> HashIndex --put--> SlotWriter --------------> plain.slots, signed.slots   what of a hash never changes
 *                        |
 *                        +--copyPage--> Checkpointer, ImageWriter -> image-N                   votes, flags, times
 *                                            |
 *                                            +--> Manifest ------> manifest                    which of them count
 * </pre>
 *
 * <p>A checkpoint is fuzzy: its image is copied page by page while updates go on. Each page says which update is its last, and
 * the replay of the log leaves out what a page has already. Two rules make this safe. No slot that the manifest names is
 * ever overwritten, because a removed record's id waits in a quarantine until a checkpoint without that record is on disk.
 * And a manifest replaces its predecessor only after everything that it names, and every update that an image page has, is
 * on disk. docs/store.md describes the files.
 */
@NullMarked
package dev.weir.storage.store;

import org.jspecify.annotations.NullMarked;
