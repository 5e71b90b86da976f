/**
 * Holds the types that requests and transports share: the handler of a datagram, the peer that sent it, and the return
 * path for late replies. Look here when the reply to an update is missing or wrong.
 */
@NullMarked
package dev.weir.storage.server.reply;

import org.jspecify.annotations.NullMarked;
