/** Tests of content detection. */
@NullMarked
package dev.weir.hash.mime.content;

import org.jspecify.annotations.NullMarked;
