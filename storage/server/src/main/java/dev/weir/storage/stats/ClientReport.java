package dev.weir.storage.stats;

import java.net.InetAddress;
import java.util.Map;

/**
 * A snapshot of the requests of one key's clients, or of the clients without a key.
 *
 * @param total the totals
 * @param checkedPerHour the mean number of checks per hour; in the first hour, the number so far
 * @param matchedPerHour the mean number of matches per hour
 * @param addresses counts by client address: the most recent ones, about 1024 per receiving thread
 * @param flags counts by flag of the reply; -1 is the sum of all flags outside 0..255, which only come from imported
 *            files
 */
public record ClientReport(Counts total, double checkedPerHour, double matchedPerHour,
        Map<InetAddress, Counts> addresses, Map<Integer, Counts> flags) {
    /** Copies the maps. */
    public ClientReport {
        addresses = Map.copyOf(addresses);
        flags = Map.copyOf(flags);
    }
}
