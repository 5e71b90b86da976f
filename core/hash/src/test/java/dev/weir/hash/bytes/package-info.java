/** Tests of the searches against plain loops. */
@NullMarked
package dev.weir.hash.bytes;

import org.jspecify.annotations.NullMarked;
