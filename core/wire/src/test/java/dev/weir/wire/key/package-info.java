/** Tests keys and key files with output of Rspamd and with random text. */
@NullMarked
package dev.weir.wire.key;

import org.jspecify.annotations.NullMarked;
