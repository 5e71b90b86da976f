/** Tests the reasons that {@code weir explain} gives. */
@NullMarked
package dev.weir.cli.explain;

import org.jspecify.annotations.NullMarked;
