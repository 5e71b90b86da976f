/** Tests of decisions. */
@NullMarked
package dev.weir.trap.decision;

import org.jspecify.annotations.NullMarked;
