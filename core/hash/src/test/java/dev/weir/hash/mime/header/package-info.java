/** Tests of header values against Rspamd's answers. */
@NullMarked
package dev.weir.hash.mime.header;

import org.jspecify.annotations.NullMarked;
