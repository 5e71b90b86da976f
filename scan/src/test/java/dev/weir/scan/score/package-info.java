/** Tests of this package. */
@NullMarked
package dev.weir.scan.score;

import org.jspecify.annotations.NullMarked;
