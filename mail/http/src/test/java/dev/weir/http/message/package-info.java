/** Requests and replies. */
@NullMarked
package dev.weir.http.message;

import org.jspecify.annotations.NullMarked;
