package dev.weir.trap.settings;

import java.util.Set;

/**
 * The section {@code wanted}: mail that is learned as wanted.
 *
 * @param sources where it comes from; everything in a folder is wanted, what arrives at an address must prove it
 * @param flag the flag to learn to
 * @param weight the weight of a campaign
 * @param senders the domains whose signed mail is wanted, in lower case
 * @param trustedHosts the names of the hosts that check signatures, in lower case
 */
public record WantedSettings(TrapSources sources, long flag, int weight, Set<String> senders,
        Set<String> trustedHosts) {
    /** Copies the sets. */
    public WantedSettings {
        senders = Set.copyOf(senders);
        trustedHosts = Set.copyOf(trustedHosts);
    }
}
