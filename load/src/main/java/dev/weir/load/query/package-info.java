/** Holds the queries of a run and the judgment of their answers; look here when an answer counts as right or wrong. */
@NullMarked
package dev.weir.load.query;

import org.jspecify.annotations.NullMarked;
