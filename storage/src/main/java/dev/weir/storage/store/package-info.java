/**
 * The store: files from which a start builds the index within seconds, so that no database is needed.
 *
 * <pre>
 *   UpdateWriter --> HashIndex --put--> SlotWriter --------------> plain.slots, signed.slots   fixed parts of hashes
 *                        |
 *                        +--copyPage--> Checkpointer, ImageWriter -> image-N                   votes, flags, times
 *                                            |
 *                                            +--> Manifest ------> manifest                    which of them count
 * </pre>
 *
 * <p>A checkpoint is fuzzy: its image is copied page by page while updates continue. Each page states its last update,
 * and the replay of the log leaves out what a page already has. Two rules make this safe. A slot that the manifest
 * names is never overwritten, because the id of a removed record waits in a quarantine until a checkpoint without that
 * record is on disk. And a manifest replaces its predecessor only after everything that it names, and every update in
 * an image page, is on disk. docs/store.md describes the files.
 */
@NullMarked
package dev.weir.storage.store;

import org.jspecify.annotations.NullMarked;
