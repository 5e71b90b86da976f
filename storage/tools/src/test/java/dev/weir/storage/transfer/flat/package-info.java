/** Tests of the flat side of moving hashes. */
@NullMarked
package dev.weir.storage.transfer.flat;

import org.jspecify.annotations.NullMarked;
