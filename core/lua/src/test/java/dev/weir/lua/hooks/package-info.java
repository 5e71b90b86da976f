/** Tests of storage handlers. */
@NullMarked
package dev.weir.lua.hooks;

import org.jspecify.annotations.NullMarked;
