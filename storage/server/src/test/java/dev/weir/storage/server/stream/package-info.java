/** Tests of connections. */
@NullMarked
package dev.weir.storage.server.stream;

import org.jspecify.annotations.NullMarked;
