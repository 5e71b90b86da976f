/**
 * Detection of the encoding of 8-bit text by its byte pairs, with the same answers as Google's compact_enc_det, which
 * Rspamd 4.1.6 asks. {@link dev.weir.hash.mime.charset.detect.EncodingDetector} is the entry.
 */
@NullMarked
package dev.weir.hash.mime.charset.detect;

import org.jspecify.annotations.NullMarked;
