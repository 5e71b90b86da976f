package dev.weir.trap.settings;

import java.time.Duration;

/**
 * The limits of the doors of traps.
 *
 * @param mailBytes the largest mail that is taken
 * @param connections the greatest number of connections to each address
 * @param idle how long a connection may wait for its client
 * @param poll the time between two looks into folders
 */
public record TrapLimits(int mailBytes, int connections, Duration idle, Duration poll) {
    /** 10 MiB, 500 connections, a minute, a minute. */
    public static final TrapLimits DEFAULT = new TrapLimits(10 << 20, 500, Duration.ofMinutes(1),
            Duration.ofMinutes(1));

    /** Checks that all of them are usable. */
    public TrapLimits {
        if (mailBytes < 1 || connections < 1 || !idle.isPositive() || !poll.isPositive()) {
            throw new IllegalArgumentException(mailBytes + " bytes, " + connections + " connections, " + idle
                    + " idle, " + poll + " between looks");
        }
    }

    /** Returns a copy with another time between looks. */
    public TrapLimits withPoll(Duration time) {
        return new TrapLimits(mailBytes, connections, idle, time);
    }

    /** Returns a copy with another size of mails. */
    public TrapLimits withMailBytes(int bytes) {
        return new TrapLimits(bytes, connections, idle, poll);
    }
}
