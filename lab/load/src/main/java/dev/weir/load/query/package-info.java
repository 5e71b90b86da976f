/** The queries of a run and the judgment of answers. Look here when an answer counts as right or wrong. */
@NullMarked
package dev.weir.load.query;

import org.jspecify.annotations.NullMarked;
