package dev.weir.milter.settings;

import java.time.Duration;

/**
 * The limits of a filter.
 *
 * @param mailBytes the largest mail that is scanned; the rest of a larger one is not received
 * @param connections maximum number of open connections; others are closed at once
 * @param idle maximum time between two packets of a mail server
 * @param scan maximum time for scanning a mail
 */
public record MilterLimits(int mailBytes, int connections, Duration idle, Duration scan) {
    /** 50 MiB, 4096 connections, two hours, 30 seconds. */
    public static final MilterLimits DEFAULT = new MilterLimits(50 << 20, 4096, Duration.ofHours(2),
            Duration.ofSeconds(30));

    /** Checks that all of them are usable. */
    public MilterLimits {
        if (mailBytes < 1 || connections < 1 || !idle.isPositive() || !scan.isPositive()) {
            throw new IllegalArgumentException(mailBytes + " bytes, " + connections + " connections, " + idle
                    + " between packets, " + scan + " to scan");
        }
    }

    /** Returns a copy with another size of mails. */
    public MilterLimits withMailBytes(int bytes) {
        return new MilterLimits(bytes, connections, idle, scan);
    }

    /** Returns a copy with another number of connections. */
    public MilterLimits withConnections(int most) {
        return new MilterLimits(mailBytes, most, idle, scan);
    }

    /** Returns a copy with other times. */
    public MilterLimits withTimes(Duration betweenPackets, Duration toScan) {
        return new MilterLimits(mailBytes, connections, betweenPackets, toScan);
    }
}
