package dev.weir.storage.server;

import java.net.InetAddress;

/** Where the datagram in hand came from. Only meaningful while it is handled: {@link #keep} makes something that lasts. */
interface Peer {
    /** Its address. May allocate: not for the way of a check. */
    InetAddress address();

    /** Its port, 0..65535. */
    int port();

    /** A way back that can be used later and by any thread. */
    ReturnPath keep();
}
