/** Tests. */
@NullMarked
package dev.weir.milter.protocol;

import org.jspecify.annotations.NullMarked;
