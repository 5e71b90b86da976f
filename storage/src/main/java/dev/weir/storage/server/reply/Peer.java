package dev.weir.storage.server.reply;

import java.net.InetAddress;

import dev.weir.storage.access.gate.Source;

/**
 * Where the request in hand came from. Only meaningful while it is handled: {@link #keep} makes something that lasts.
 */
public interface Peer {
    /** Its address; that of this machine for a Unix-domain socket. May allocate: not for the hot path. */
    InetAddress address();

    /** Its port, 0..65535; for a Unix-domain socket, which has none, the lower bits of the connection's number. */
    int port();

    /** Tells the rules where the request came from. On the hot path, so it must not allocate. */
    void describe(Source target);

    /** Returns a way back that can be used later. */
    ReturnPath keep();
}
