/** Tests keys and key files with what Rspamd wrote, and with random text. */
@NullMarked
package dev.weir.wire.key;

import org.jspecify.annotations.NullMarked;
