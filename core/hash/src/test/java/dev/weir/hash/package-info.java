/** Tests of whole mails against the hashes that Rspamd sent for them. */
@NullMarked
package dev.weir.hash;

import org.jspecify.annotations.NullMarked;
