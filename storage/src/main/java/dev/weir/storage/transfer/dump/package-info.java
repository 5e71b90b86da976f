/**
 * Weir's own portable dump (docs/reference/dump.md): a stream of compressed blocks of whole hashes, each with a
 * checksum, and an end that tells how many there were.
 */
@NullMarked
package dev.weir.storage.transfer.dump;

import org.jspecify.annotations.NullMarked;
