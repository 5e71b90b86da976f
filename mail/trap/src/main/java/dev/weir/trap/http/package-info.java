/** Complaints by HTTP. */
@NullMarked
package dev.weir.trap.http;

import org.jspecify.annotations.NullMarked;
