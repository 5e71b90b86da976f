/** Tests of the datagram receivers. */
@NullMarked
package dev.weir.storage.server.udp;

import org.jspecify.annotations.NullMarked;
