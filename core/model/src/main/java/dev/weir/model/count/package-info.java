/** Counts over time, for tables that are bounded: look here when a curve of minutes or hours is shifted or too low. */
@NullMarked
package dev.weir.model.count;

import org.jspecify.annotations.NullMarked;
