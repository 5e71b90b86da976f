/** Tests of the way between nodes. */
@NullMarked
package dev.weir.http.replication;

import org.jspecify.annotations.NullMarked;
