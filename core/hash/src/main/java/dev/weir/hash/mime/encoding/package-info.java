/**
 * Decoders for Content-Transfer-Encoding (docs/reference/hashing.md#transfer-encodings). They accept malformed input
 * the way Rspamd does and never fail.
 */
@NullMarked
package dev.weir.hash.mime.encoding;

import org.jspecify.annotations.NullMarked;
