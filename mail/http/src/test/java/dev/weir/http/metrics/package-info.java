/** The formats of figures. */
@NullMarked
package dev.weir.http.metrics;

import org.jspecify.annotations.NullMarked;
