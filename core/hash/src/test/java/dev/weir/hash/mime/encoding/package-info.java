/** Tests of the transfer decoders. */
@NullMarked
package dev.weir.hash.mime.encoding;

import org.jspecify.annotations.NullMarked;
