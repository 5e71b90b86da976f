package dev.weir.scan.rule;

import java.time.Duration;

/**
 * Checks over TCP (docs/reference/scanner.md#tcp).
 *
 * @param use when
 * @param threshold checks a second above which {@link Use#AUTO} changes to TCP
 * @param window the time over which they are counted
 * @param connectTimeout how long a connection may take to come about
 * @param idle how long a connection without traffic is kept; closing it is no error
 * @param retryDelay how long UDP is used after a connection failed
 */
public record TcpOptions(Use use, double threshold, Duration window, Duration connectTimeout, Duration idle,
        Duration retryDelay) {
    /** UDP only. */
    public static final TcpOptions OFF = new TcpOptions(Use.NEVER, 1.0, Duration.ofSeconds(1), Duration.ofSeconds(5),
            Duration.ofMinutes(1), Duration.ofSeconds(10));

    /** When a check goes over TCP. */
    public enum Use {
        /** Never. */
        NEVER,
        /** While there are many checks. */
        AUTO,
        /** Whenever there is a connection. */
        ALWAYS
    }
}
