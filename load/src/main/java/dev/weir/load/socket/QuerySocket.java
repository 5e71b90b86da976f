package dev.weir.load.socket;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

import org.jspecify.annotations.Nullable;

/** A way to a storage: one socket. Serves one thread, never waits. */
public sealed interface QuerySocket extends AutoCloseable permits UdpQuerySocket, TcpQuerySocket {
    /** Requests that are sent with one call at most. */
    int BATCH = 64;

    /** Bytes of the longest answer that is looked at. */
    int MAX_ANSWER = 256;

    /**
     * Returns a UDP socket of its own port.
     *
     * @param source the address to send from; null for the system's choice
     * @param maxBytes of the longest request
     * @throws IOException if the system refuses, with its reason
     */
    static QuerySocket udp(InetSocketAddress storage, @Nullable InetAddress source, int maxBytes) throws IOException {
        return UdpQuerySocket.open(storage, source, maxBytes);
    }

    /**
     * Returns a TCP connection with frames (docs/reference/protocol.md#frames).
     *
     * @param maxBytes of the longest request
     * @throws IOException if nothing accepts it
     */
    static QuerySocket tcp(InetSocketAddress storage, int maxBytes) throws IOException {
        return TcpQuerySocket.open(storage, maxBytes);
    }

    /**
     * Checks how many queries a socket is to send at once.
     *
     * @throws IllegalArgumentException with a message for people unless it is 1..{@value #BATCH}
     */
    static void checkAtOnce(int queries) {
        if (queries < 1 || queries > BATCH) {
            throw new IllegalArgumentException(queries + " queries at once are not between 1 and " + BATCH);
        }
    }

    /** Puts request {@code i} of the next {@link #send} in its place. */
    void put(int i, byte[] bytes, int length);

    /**
     * Sends the first {@code count} requests.
     *
     * @throws IOException if the connection is gone
     */
    void send(int count) throws IOException;

    /** Returns whether the next {@link #send} has room: a stream that the storage does not read fills up. */
    boolean canSend();

    /**
     * Takes the answers that are there.
     *
     * @return how many; they can be looked at with {@link #take} until the next call
     * @throws IOException if the storage is not there, or closed the connection
     */
    int poll() throws IOException;

    /** Copies answer {@code i}, cut to {@link #MAX_ANSWER}, to the front of an array and returns its length. */
    int take(int i, byte[] target);

    @Override
    void close();
}
