/** Tests of {@code dev.weir.hash.html}. */
@NullMarked
package dev.weir.hash.html;

import org.jspecify.annotations.NullMarked;
