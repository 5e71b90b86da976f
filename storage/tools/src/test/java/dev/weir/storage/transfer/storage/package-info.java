/** Tests of transfers from and to a store. */
@NullMarked
package dev.weir.storage.transfer.storage;

import org.jspecify.annotations.NullMarked;
