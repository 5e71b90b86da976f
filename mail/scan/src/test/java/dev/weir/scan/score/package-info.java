/** Tests of the score computation. */
@NullMarked
package dev.weir.scan.score;

import org.jspecify.annotations.NullMarked;
