/**
 * The mail reader: splits a mail into its parts and classifies each part (docs/reference/hashing.md#raw-input).
 *
 * <p>The reader gives Rspamd's answer even where Rspamd deviates from the MIME standards. It works on bytes, limits
 * depth, number of parts and effort for any input, and throws nothing because of the content of a mail, except
 * {@link dev.weir.hash.effort.NotHashedException} when a mail exceeds its budget.
 *
 * <ul>
 * <li>{@code mime.header}: header fields and their values. Look here when a file name, a type or a boundary is misread.
 * <li>{@code mime.encoding}: transfer encodings such as base64. Look here when a body has the wrong bytes.
 * <li>{@code mime.charset}: charset names, charset detection and conversion to UTF-8. Look here when text is garbled.
 * <li>{@code mime.content}: content detection by signatures, archive checks, image sizes. Look here when a part has the
 * wrong class.
 * </ul>
 */
@NullMarked
package dev.weir.hash.mime;

import org.jspecify.annotations.NullMarked;
