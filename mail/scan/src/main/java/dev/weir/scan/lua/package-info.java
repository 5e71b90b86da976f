/** The view of a mail that was parsed for hashing, for the scripts of {@link dev.weir.lua.task}. */
@NullMarked
package dev.weir.scan.lua;

import org.jspecify.annotations.NullMarked;
