/** Tests of charset names. */
@NullMarked
package dev.weir.hash.mime.charset;

import org.jspecify.annotations.NullMarked;
