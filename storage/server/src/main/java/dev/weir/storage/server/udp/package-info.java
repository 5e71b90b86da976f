/** Serves UDP: receives datagrams and sends replies in batches. Look here when datagrams are lost. */
@NullMarked
package dev.weir.storage.server.udp;

import org.jspecify.annotations.NullMarked;
