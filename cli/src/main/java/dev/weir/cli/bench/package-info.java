/** Holds {@code weir bench}, which loads a storage and checks its answers; look here when its report is wrong. */
@NullMarked
package dev.weir.cli.bench;

import org.jspecify.annotations.NullMarked;
