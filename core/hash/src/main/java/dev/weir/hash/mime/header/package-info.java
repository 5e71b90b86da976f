/**
 * Header fields of a mail or a part, and the values of Content-Type, Content-Disposition and encoded words
 * (docs/reference/hashing.md#headers).
 */
@NullMarked
package dev.weir.hash.mime.header;

import org.jspecify.annotations.NullMarked;
