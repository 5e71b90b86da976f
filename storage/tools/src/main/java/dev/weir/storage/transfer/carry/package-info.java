/**
 * The way from a folder with a database to a folder with a store. {@link dev.weir.storage.transfer.carry.CarryOver}
 * runs at a start; an interrupted one continues at the next start.
 */
@NullMarked
package dev.weir.storage.transfer.carry;

import org.jspecify.annotations.NullMarked;
