/** The releases of Rspamd that hash mail differently. */
@NullMarked
package dev.weir.hash.release;

import org.jspecify.annotations.NullMarked;
