/** Tests of folders as sources. */
@NullMarked
package dev.weir.trap.folder;

import org.jspecify.annotations.NullMarked;
