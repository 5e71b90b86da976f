package dev.weir.storage.server.stream;

import java.time.Duration;

/**
 * The limits of connections (docs/reference/protocol.md#frames).
 *
 * @param connections the most at a time; beyond, one that never asked anything makes room, else the newcomer is refused
 * @param perAddress of these from one IPv4 address or one /64 of IPv6; Unix-domain sockets are not counted here
 * @param connect time from the connection to its first byte
 * @param idle time without a byte from the client, while no answer is on its way to it; {@code tcp_timeout}
 * @param request time in which a frame that was begun must be whole, and in which a client must take some of the
 *            replies that wait for it
 * @param bytes kept for all connections together: frames that are not whole, replies that are not taken. A connection
 *            that would take more is closed; one whose frames come whole and whose replies are read never needs any
 */
public record StreamLimits(int connections, int perAddress, Duration connect, Duration idle, Duration request,
        int bytes) {
    /** What Rspamd's {@code tcp_timeout} is by default. */
    public static final Duration DEFAULT_IDLE = Duration.ofSeconds(5);

    /**
     * Some hundred scanners with some dozen processes each; an empty connection costs about one KiB here and more in
     * the system. The bytes are enough for all of them to stop in the middle of the longest frame.
     */
    public static final StreamLimits DEFAULT = new StreamLimits(4_096, 256, DEFAULT_IDLE, DEFAULT_IDLE, DEFAULT_IDLE,
            64 << 20);

    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException if one of them is not positive
     */
    public StreamLimits {
        if (connections < 1 || perAddress < 1 || bytes < 1 || !isPositive(connect) || !isPositive(idle)
                || !isPositive(request)) {
            throw new IllegalArgumentException("limits of connections must be positive");
        }
    }

    private static boolean isPositive(Duration time) {
        return !time.isNegative() && !time.isZero();
    }

    /** Returns a copy with another {@code tcp_timeout}; the other times are that too. */
    public StreamLimits withTimeout(Duration time) {
        return new StreamLimits(connections, perAddress, time, time, time, bytes);
    }

    /** Returns a copy with another number of connections, from one address and in all. */
    public StreamLimits withConnections(int inAll, int fromOneAddress) {
        return new StreamLimits(inAll, fromOneAddress, connect, idle, request, bytes);
    }
}
