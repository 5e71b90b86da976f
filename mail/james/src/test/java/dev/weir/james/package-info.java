/** Tests of the mailets. */
@NullMarked
package dev.weir.james;

import org.jspecify.annotations.NullMarked;
