/** Tests of transfers from and to a store. */
@NullMarked
package dev.weir.storage.transfer.store;

import org.jspecify.annotations.NullMarked;
