/** Packed bodies. */
@NullMarked
package dev.weir.http.packing;

import org.jspecify.annotations.NullMarked;
