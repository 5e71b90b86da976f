/** Tests of the retry queue. */
@NullMarked
package dev.weir.scan.retry;

import org.jspecify.annotations.NullMarked;
