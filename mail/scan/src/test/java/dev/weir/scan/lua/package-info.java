/** Tests of the Lua view of a mail. */
@NullMarked
package dev.weir.scan.lua;

import org.jspecify.annotations.NullMarked;
