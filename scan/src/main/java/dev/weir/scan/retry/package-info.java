/** Updates for servers that could not be reached: kept on disk, sent again until the server confirms or refuses. */
@NullMarked
package dev.weir.scan.retry;

import org.jspecify.annotations.NullMarked;
