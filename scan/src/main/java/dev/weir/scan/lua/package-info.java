/** Shows a mail that was read for hashing to the scripts of {@link dev.weir.lua.task}. */
@NullMarked
package dev.weir.scan.lua;

import org.jspecify.annotations.NullMarked;
