/** Charset names, charset detection and conversion to UTF-8 (docs/reference/hashing.md#charsets). */
@NullMarked
package dev.weir.hash.mime.charset;

import org.jspecify.annotations.NullMarked;
