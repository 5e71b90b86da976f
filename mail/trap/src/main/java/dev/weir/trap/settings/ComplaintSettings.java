package dev.weir.trap.settings;

/**
 * The section {@code complaints}: complaints of users, each of whom has one vote on a campaign.
 *
 * @param sources where reports come from
 * @param keep the addresses that take mails which users want to keep
 * @param reports whether the mails in the folders are reports about the mails attached to them; otherwise users
 *        complain about the mails themselves
 * @param flag the flag to learn to
 * @param minVotes by how many the complaints must exceed the votes to keep the mail before it is learned
 * @param weight the weight for each complaint beyond the votes to keep
 * @param maxWeight the greatest weight of a campaign
 * @param keepVotes how many complaints one vote to keep the mail outweighs
 */
public record ComplaintSettings(TrapSources sources, TrapAddresses keep, boolean reports, long flag, int minVotes,
        int weight, int maxWeight, int keepVotes) {
    /** Returns the weight that a campaign deserves. */
    public int deserved(int complaints, int keeps) {
        long net = complaints - (long) keeps * keepVotes;
        return net < minVotes ? 0 : (int) Math.min(net * weight, maxWeight);
    }
}
