/** Tests of the statistics. */
@NullMarked
package dev.weir.storage.stats;

import org.jspecify.annotations.NullMarked;
