package dev.weir.scan.rule;

import java.time.Duration;

/**
 * Options for checks over TCP (docs/reference/scanner.md#tcp).
 *
 * @param use when to use TCP
 * @param threshold the checks per second above which {@link Use#AUTO} switches to TCP
 * @param window the time over which checks are counted
 * @param connectTimeout how long connecting may take
 * @param idle how long an idle connection is kept; closing it is not an error
 * @param retryDelay how long UDP is used after a connection failed
 */
public record TcpOptions(Use use, double threshold, Duration window, Duration connectTimeout, Duration idle,
        Duration retryDelay) {
    /** UDP only. */
    public static final TcpOptions OFF = new TcpOptions(Use.NEVER, 1.0, Duration.ofSeconds(1), Duration.ofSeconds(5),
            Duration.ofMinutes(1), Duration.ofSeconds(10));

    /** When a check uses TCP. */
    public enum Use {
        /** Never. */
        NEVER,
        /** Under high load. */
        AUTO,
        /** Whenever a connection is open. */
        ALWAYS
    }
}
