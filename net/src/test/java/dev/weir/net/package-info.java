/** Tests of the sockets, of both kinds. */
@NullMarked
package dev.weir.net;

import org.jspecify.annotations.NullMarked;
