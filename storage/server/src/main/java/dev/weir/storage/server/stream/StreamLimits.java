package dev.weir.storage.server.stream;

import java.time.Duration;

/**
 * The limits of connections (docs/reference/protocol.md#frames).
 *
 * @param connections the most connections at a time; beyond that, a new one displaces one that sent no request, or is
 *            refused
 * @param perAddress the most connections from one IPv4 address or IPv6 /64 network; does not apply to Unix-domain
 *            sockets
 * @param connect the time from the connection to its first byte
 * @param idle the time without a byte from the client while no answer is pending; {@code tcp_timeout}
 * @param request the time in which the client must complete a frame, or read some of its waiting replies
 * @param bytes the memory for incomplete frames and unread replies of all connections. A connection that would exceed
 *            it is closed. Connections with complete frames and read replies need none of it
 */
public record StreamLimits(int connections, int perAddress, Duration connect, Duration idle, Duration request,
        int bytes) {
    /** The default of Rspamd's {@code tcp_timeout}. */
    public static final Duration DEFAULT_IDLE = Duration.ofSeconds(5);

    /**
     * The default limits, for about a hundred scanners with dozens of processes each. An empty connection costs little
     * here and more in the kernel. The memory is enough for all connections to stop in the middle of the longest frame.
     */
    public static final StreamLimits DEFAULT = new StreamLimits(4_096, 256, DEFAULT_IDLE, DEFAULT_IDLE, DEFAULT_IDLE,
            64 << 20);

    /**
     * Checks the limits.
     *
     * @throws IllegalArgumentException if a limit is not positive
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

    /** Returns a copy with {@code tcp_timeout} as all three times. */
    public StreamLimits withTimeout(Duration time) {
        return new StreamLimits(connections, perAddress, time, time, time, bytes);
    }

    /** Returns a copy with other limits for the number of connections. */
    public StreamLimits withConnections(int inAll, int fromOneAddress) {
        return new StreamLimits(inAll, fromOneAddress, connect, idle, request, bytes);
    }
}
