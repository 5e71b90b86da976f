/**
 * The in-memory index: finds a digest exactly or the most similar signature, while one writer changes it.
 *
 * <pre>
 *                        HashIndex   (lock, public methods)     Lookup   (query and working memory of a thread)
 *                            |                                     |
 *                       IndexTables  &lt;----- IndexSearch -----------+--- IndexMatch   (answer)
 *                            |
 *        +-------------------+------------------------+----------------------------+
 *        |                                            |                            |
 *  digest table                                 posting table                record tables, two:
 *  PostingTable, 5 to 6 bytes a hash            PostingTable                 plain (no signature), similar
 *  hash of digest -&gt; number of hash             hash of pair -&gt; record ids   RecordTable, 76 bytes a record
 *        |                                      16 entries a signature,            |
 *        +---------------------+----------------+ 84 to 154 bytes                  |
 *                              |                                                   |
 *       HashBucket, 64 bytes   v                                                   v
 *       +-------------------------+------+                           +-------------------+------+---------+-------+
 *       | entry 1 .. 15, 4 bytes  | link |                           | digest, 64 bytes  | time | renewed | value |
 *       | = tag + id              |  |   |                           |                   |      |         | flag  |
 *       +-------------------------+--|---+                           +-------------------+--|---+---------+-------+
 *       overflow chain               v                               several flags:         v
 *       (OverflowBlocks)   3 blocks of 16 bytes, then                FlagChains, 24 bytes a flag
 *                          blocks of 64 bytes
 *                                           similar hashes only: record id -&gt; SignatureTable, 128 bytes:
 *                                                                             32 Fingerprints of 4 bytes
 * </pre>
 *
 * <p>Every table is a {@link dev.weir.storage.index.ChunkedArray} in one {@link dev.weir.storage.index.OffHeapArena},
 * outside the Java heap. A posting list is not contiguous: it is the set of entries with the same bucket and tag.
 * {@link dev.weir.storage.index.BucketMapping} maps a hash to bucket and tag. docs/internals/memory-index.md has the
 * totals and the bounds.
 *
 * <p><b>Threads.</b> Any number of threads may call {@link dev.weir.storage.index.HashIndex#find}, each with its own
 * {@link dev.weir.storage.index.Lookup}. They read optimistically without a lock; after repeated collisions with the
 * writer they take the read lock. A find allocates nothing. Exactly one thread at a time, the writer, may change the
 * index or collect expired flags. It holds the write lock for one update or a few steps of growing.
 * The thread of checkpoints holds it briefly to begin a checkpoint and to free ids. Any thread may ask for size and
 * counters. A background thread makes the arena's next pages present.
 */
@NullMarked
package dev.weir.storage.index;

import org.jspecify.annotations.NullMarked;
