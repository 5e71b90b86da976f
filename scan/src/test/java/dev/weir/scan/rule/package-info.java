/** Tests of this package. */
@NullMarked
package dev.weir.scan.rule;

import org.jspecify.annotations.NullMarked;
