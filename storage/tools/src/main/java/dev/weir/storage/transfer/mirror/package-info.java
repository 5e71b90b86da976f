/** Work on the mirror of a store from outside the storage: building it again, and comparing it with the store. */
@NullMarked
package dev.weir.storage.transfer.mirror;

import org.jspecify.annotations.NullMarked;
