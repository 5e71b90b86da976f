/** Tests. */
@NullMarked
package dev.weir.lua;

import org.jspecify.annotations.NullMarked;
