/** Tests of the dump side of moving hashes. */
@NullMarked
package dev.weir.storage.transfer.dump;

import org.jspecify.annotations.NullMarked;
