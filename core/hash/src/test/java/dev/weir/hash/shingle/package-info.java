/** Tests of the hash arithmetic against Rspamd's vectors. */
@NullMarked
package dev.weir.hash.shingle;

import org.jspecify.annotations.NullMarked;
