/** The control socket, and what its commands answer. */
@NullMarked
package dev.weir.http.control;

import org.jspecify.annotations.NullMarked;
