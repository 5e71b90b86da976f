/** Tests. */
@NullMarked
package dev.weir.scan.lua;

import org.jspecify.annotations.NullMarked;
