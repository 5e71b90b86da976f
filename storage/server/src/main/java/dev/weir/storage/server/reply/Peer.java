package dev.weir.storage.server.reply;

import java.net.InetAddress;

import dev.weir.storage.access.gate.Source;

/**
 * The sender of the current request. Valid only while the request is handled; {@link #keep} returns a lasting return
 * path.
 */
public interface Peer {
    /**
     * Returns the address; the loopback address for a Unix-domain socket. May allocate, so avoid it on the hot path.
     */
    InetAddress address();

    /** Returns the port, 0..65535. For a Unix-domain socket, returns the lower bits of the connection number. */
    int port();

    /** Sets the source of the request for the access rules. Runs on the hot path, so it must not allocate. */
    void describe(Source target);

    /** Returns a return path for a late reply. */
    ReturnPath keep();
}
