package dev.weir.storage.stats;

import java.net.InetAddress;
import java.util.Map;

/**
 * What the clients of one key asked, or those without a key.
 *
 * @param total of all of them
 * @param checkedPerHour mean of checks an hour; 0 in the first two hours
 * @param matchedPerHour mean of matches an hour
 * @param addresses by where they came from: the most recent ones, some 1024 for each receiving thread
 * @param flags by the flag of the reply; -1 stands for all above 255, which only come from imported files
 */
public record ClientReport(Counts total, double checkedPerHour, double matchedPerHour,
        Map<InetAddress, Counts> addresses, Map<Integer, Counts> flags) {
    /** Copies the maps. */
    public ClientReport {
        addresses = Map.copyOf(addresses);
        flags = Map.copyOf(flags);
    }
}
