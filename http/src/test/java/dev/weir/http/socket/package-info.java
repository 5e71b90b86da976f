/** The control socket, and what its commands answer. */
@NullMarked
package dev.weir.http.socket;

import org.jspecify.annotations.NullMarked;
