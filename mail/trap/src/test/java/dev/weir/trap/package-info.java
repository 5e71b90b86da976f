/** Tests of traps. */
@NullMarked
package dev.weir.trap;

import org.jspecify.annotations.NullMarked;
