/** Tests of the detection of encodings. */
@NullMarked
package dev.weir.hash.mime.charset.detect;

import org.jspecify.annotations.NullMarked;
