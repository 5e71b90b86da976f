/**
 * Reads mail the way the reference does, warts included: headers, multipart splitting, transfer decoding, embedded
 * messages, content detection, part classes, charsets. Works on bytes, is bounded in depth, parts and time on any input,
 * and never throws because of what a mail contains. Source: hashing specification, section 1 and 5.1.
 */
@NullMarked
package dev.weir.hash.mime;

import org.jspecify.annotations.NullMarked;
