package dev.weir.load.socket;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

import org.jspecify.annotations.Nullable;

/** A socket to a storage. For one thread; never blocks. */
public sealed interface QuerySocket extends AutoCloseable permits UdpQuerySocket, TcpQuerySocket {
    /** The maximum number of requests in one call. */
    int BATCH = 64;

    /** The maximum number of bytes that are read of an answer. */
    int MAX_ANSWER = 256;

    /**
     * Returns a UDP socket with its own port.
     *
     * @param source the address to send from; null for the system's choice
     * @param maxBytes maximum length of a request
     * @throws IOException if the system refuses, with the reason
     */
    static QuerySocket udp(InetSocketAddress storage, @Nullable InetAddress source, int maxBytes) throws IOException {
        return UdpQuerySocket.open(storage, source, maxBytes);
    }

    /**
     * Returns a TCP connection with frames (docs/reference/protocol.md#frames).
     *
     * @param maxBytes maximum length of a request
     * @throws IOException if the connection fails
     */
    static QuerySocket tcp(InetSocketAddress storage, int maxBytes) throws IOException {
        return TcpQuerySocket.open(storage, maxBytes);
    }

    /**
     * Checks the number of queries that a socket sends at once.
     *
     * @throws IllegalArgumentException with a message for users unless it is from 1 to {@value #BATCH}
     */
    static void checkAtOnce(int queries) {
        if (queries < 1 || queries > BATCH) {
            throw new IllegalArgumentException(queries + " queries at once are not between 1 and " + BATCH);
        }
    }

    /** Sets request {@code i} of the next {@link #send}. */
    void put(int i, byte[] bytes, int length);

    /**
     * Sends the first {@code count} requests.
     *
     * @throws IOException if the connection is lost
     */
    void send(int count) throws IOException;

    /** Returns whether the next {@link #send} has room. A stream fills up if the storage does not read it. */
    boolean canSend();

    /**
     * Receives the available answers.
     *
     * @return their number; {@link #take} returns them until the next call
     * @throws IOException if the storage is unreachable or closed the connection
     */
    int poll() throws IOException;

    /** Copies answer {@code i}, cut to {@link #MAX_ANSWER}, to the beginning of an array and returns its length. */
    int take(int i, byte[] target);

    @Override
    void close();
}
