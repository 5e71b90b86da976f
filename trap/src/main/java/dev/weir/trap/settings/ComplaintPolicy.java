package dev.weir.trap.settings;

/**
 * What complaints of users count. Each user has one vote on a campaign.
 *
 * @param flag the flag to learn to
 * @param minVotes by how many the complaints must exceed the votes to keep the mail before it is learned
 * @param weight the weight for each complaint beyond the votes to keep
 * @param maxWeight the greatest weight of a campaign
 * @param keepVotes how many complaints one vote to keep the mail outweighs
 */
public record ComplaintPolicy(long flag, int minVotes, int weight, int maxWeight, int keepVotes) {
    /** Three votes, flag 2, weight 1. */
    public static final ComplaintPolicy DEFAULT = new ComplaintPolicy(2, 3, 1, 100, 1);

    /** Checks the numbers. */
    public ComplaintPolicy {
        if (minVotes < 1 || weight < 1 || maxWeight < weight || keepVotes < 0) {
            throw new IllegalArgumentException(minVotes + " votes, weight " + weight + " to " + maxWeight + ", "
                    + keepVotes + " for each vote to keep");
        }
    }

    /** Returns the weight that a campaign deserves. */
    public int deserved(int complaints, int keeps) {
        long net = complaints - (long) keeps * keepVotes;
        return net < minVotes ? 0 : (int) Math.min(net * weight, maxWeight);
    }
}
