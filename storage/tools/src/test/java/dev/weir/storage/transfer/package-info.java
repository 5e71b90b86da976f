/** Tests of moving hashes in and out. */
@NullMarked
package dev.weir.storage.transfer;

import org.jspecify.annotations.NullMarked;
