/** Tests. */
@NullMarked
package dev.weir.milter;

import org.jspecify.annotations.NullMarked;
