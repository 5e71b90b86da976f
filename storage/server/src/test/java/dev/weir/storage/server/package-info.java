/** Tests of the server, including crashes and replayed conversations. */
@NullMarked
package dev.weir.storage.server;

import org.jspecify.annotations.NullMarked;
