/**
 * Weir's portable dump (docs/reference/dump.md): a stream of compressed blocks of complete hashes, each with a
 * checksum, and an end with their number.
 */
@NullMarked
package dev.weir.storage.transfer.dump;

import org.jspecify.annotations.NullMarked;
