/** Failures in words for a person. */
@NullMarked
package dev.weir.model.failure;

import org.jspecify.annotations.NullMarked;
