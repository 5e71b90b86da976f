package dev.weir.trap.campaign;

/**
 * What is known about a campaign after one of its mails.
 *
 * @param campaign its number
 * @param traps the number of distinct traps that received it
 * @param networks the number of distinct networks that sent it
 * @param learned the weight that traps have taught so far
 * @param fresh whether the mail came to another trap or from another network than all before it
 */
public record Sighting(long campaign, int traps, int networks, int learned, boolean fresh) {
    /** Returns the number of independent sources. */
    public int sources() {
        return Math.max(traps, networks);
    }
}
