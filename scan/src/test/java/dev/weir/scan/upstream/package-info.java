/** Tests of this package. */
@NullMarked
package dev.weir.scan.upstream;

import org.jspecify.annotations.NullMarked;
