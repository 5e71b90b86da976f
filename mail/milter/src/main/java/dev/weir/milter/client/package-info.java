/**
 * The mail server's side of the milter protocol, as far as measurements and tests need it.
 */
@NullMarked
package dev.weir.milter.client;

import org.jspecify.annotations.NullMarked;
