/**
 * The store: files from which a start builds the index within seconds, without a database.
 *
 * <pre>
 *   UpdateWriter --> HashIndex --put--> SlotWriter --------------> plain.slots, signed.slots   fixed parts of hashes
 *                        |
 *                        +--copyPage--> Checkpointer, ImageWriter -> image-N        votes, flags, times, side hashes
 *                                            |
 *                                            +--> Manifest ------> manifest                    current checkpoint
 * </pre>
 *
 * <p>A checkpoint is fuzzy: its image is copied page by page while updates go on. Each page has the number of its last
 * update, and the replay of the log skips updates that a page already has. Two rules make this safe. First, no slot
 * that the manifest names is ever overwritten: the id of a removed record waits in a quarantine until a checkpoint
 * without that record is on disk. Second, a manifest replaces its predecessor only when everything that it names, and
 * every update in a page of the image, is on disk. docs/internals/store.md describes the files.
 */
@NullMarked
package dev.weir.storage.checkpoint;

import org.jspecify.annotations.NullMarked;
