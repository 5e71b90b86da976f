package dev.weir.trap.settings;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import dev.weir.model.Networks;

/**
 * Which mails of traps are learned.
 *
 * @param flag the flag to learn to
 * @param hamFlags the flags of wanted mail: a mail near one of their hashes is not learned
 * @param minWords the fewest words of the longest text
 * @param minSources the number of independent traps or networks that must have sent a campaign before it is learned
 * @param weight the weight for each source
 * @param maxWeight the greatest weight of a campaign
 * @param images whether images are learned, too: the logos of brands are in wanted mail as well
 * @param relays the networks of the mail servers in front, whose Received fields are believed
 * @param ownNetworks the networks of own users, whose mail is not learned
 * @param ownDomains the domains of own users in lower case, whose mail is not learned
 * @param hold how long a campaign is remembered after its last mail
 * @param maxCampaigns the greatest number of remembered campaigns
 */
public record TrapPolicy(long flag, List<Long> hamFlags, int minWords, int minSources, int weight, int maxWeight,
        boolean images, Networks relays, Networks ownNetworks, Set<String> ownDomains, Duration hold,
        int maxCampaigns) {
    /** Copies the collections. */
    public TrapPolicy {
        hamFlags = List.copyOf(hamFlags);
        ownDomains = Set.copyOf(ownDomains);
    }

    /** Returns the weight that a campaign deserves. */
    public int deserved(int sources) {
        return sources < minSources ? 0 : (int) Math.min((long) sources * weight, maxWeight);
    }

    /** Returns the number of sources beyond which more of them change nothing. */
    public int enoughSources() {
        return Math.max(minSources, (maxWeight + weight - 1) / weight);
    }
}
