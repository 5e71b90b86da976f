/** Passwords and the order of decisions. */
@NullMarked
package dev.weir.http.access;

import org.jspecify.annotations.NullMarked;
