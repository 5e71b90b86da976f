/** Tests of the sandbox. */
@NullMarked
package dev.weir.lua;

import org.jspecify.annotations.NullMarked;
