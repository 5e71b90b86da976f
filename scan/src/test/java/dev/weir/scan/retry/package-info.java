/** Tests of this package. */
@NullMarked
package dev.weir.scan.retry;

import org.jspecify.annotations.NullMarked;
