/** Tests of the threads that hash mails. */
@NullMarked
package dev.weir.scan.pool;

import org.jspecify.annotations.NullMarked;
