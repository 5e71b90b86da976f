/**
 * The flat file in which Rspamd kept fuzzy hashes before release 0.8.
 */
@NullMarked
package dev.weir.storage.transfer.flat;

import org.jspecify.annotations.NullMarked;
