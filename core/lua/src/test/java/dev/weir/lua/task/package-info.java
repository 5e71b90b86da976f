/** Tests of learn conditions. */
@NullMarked
package dev.weir.lua.task;

import org.jspecify.annotations.NullMarked;
