/** Tests of what is counted. */
@NullMarked
package dev.weir.storage.stats;

import org.jspecify.annotations.NullMarked;
