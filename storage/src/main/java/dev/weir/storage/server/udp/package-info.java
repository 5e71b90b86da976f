/**
 * Holds the UDP side: the loop that receives datagrams and the batches of replies that it sends. Look here when
 * datagrams are lost.
 */
@NullMarked
package dev.weir.storage.server.udp;

import org.jspecify.annotations.NullMarked;
