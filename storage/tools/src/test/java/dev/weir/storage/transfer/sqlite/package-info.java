/** Tests of the sqlite side of moving hashes. */
@NullMarked
package dev.weir.storage.transfer.sqlite;

import org.jspecify.annotations.NullMarked;
