/** Tests of the mail reader: Rspamd's part lists, the reader's limits, and malformed input. */
@NullMarked
package dev.weir.hash.mime;

import org.jspecify.annotations.NullMarked;
