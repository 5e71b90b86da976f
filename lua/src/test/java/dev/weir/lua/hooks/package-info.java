/** Tests. */
@NullMarked
package dev.weir.lua.hooks;

import org.jspecify.annotations.NullMarked;
