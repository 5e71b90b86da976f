/** Tests of the redis side of moving hashes. */
@NullMarked
package dev.weir.storage.transfer.redis;

import org.jspecify.annotations.NullMarked;
