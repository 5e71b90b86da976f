/** Tests of {@code dev.weir.hash.kind}. */
@NullMarked
package dev.weir.hash.kind;

import org.jspecify.annotations.NullMarked;
