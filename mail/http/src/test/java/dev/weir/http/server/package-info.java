/** The server over real sockets. */
@NullMarked
package dev.weir.http.server;

import org.jspecify.annotations.NullMarked;
