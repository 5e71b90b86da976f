package dev.weir.trap.settings;

import java.util.Set;

/**
 * Mail that is learned as wanted.
 *
 * @param sources where it comes from; everything in a folder is wanted, what arrives at an address must prove it
 * @param flag the flag to learn to
 * @param weight the weight of a campaign
 * @param senders the domains whose signed mail is wanted, in lower case
 * @param trustedHosts the names of the hosts that check signatures, in lower case
 */
public record WantedSettings(TrapSources sources, long flag, int weight, Set<String> senders,
        Set<String> trustedHosts) {
    /** Flag 3, weight 1, no signed senders. */
    public static final WantedSettings DEFAULT = new WantedSettings(TrapSources.NONE, 3, 1, Set.of(), Set.of());

    /** Copies the sets. */
    public WantedSettings {
        senders = Set.copyOf(senders);
        trustedHosts = Set.copyOf(trustedHosts);
    }

    /** Returns a copy with other sources. */
    public WantedSettings withSources(TrapSources others) {
        return new WantedSettings(others, flag, weight, senders, trustedHosts);
    }

    /** Returns a copy with other signed senders. */
    public WantedSettings withSenders(Set<String> domains, Set<String> hosts) {
        return new WantedSettings(sources, flag, weight, domains, hosts);
    }
}
