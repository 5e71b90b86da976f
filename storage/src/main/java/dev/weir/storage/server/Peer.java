package dev.weir.storage.server;

import java.net.InetAddress;

/** Where the request in hand came from. Only meaningful while it is handled: {@link #keep} makes something that lasts. */
interface Peer {
    /** How it came. */
    Transport transport();

    /** Its address; that of this machine for a socket in the file system. May allocate: not for the way of a check. */
    InetAddress address();

    /** Its port, 0..65535; for a socket in the file system, which has none, the lower bits of the connection's number. */
    int port();

    /** A way back that can be used later. */
    ReturnPath keep();
}
