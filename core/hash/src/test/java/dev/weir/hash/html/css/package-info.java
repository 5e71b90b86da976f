/** Tests of {@code dev.weir.hash.html.css}. */
@NullMarked
package dev.weir.hash.html.css;

import org.jspecify.annotations.NullMarked;
