package dev.weir.trap.campaign;

/**
 * Who has to do with a campaign.
 *
 * @param traps the number of distinct traps that received it
 * @param networks the number of distinct networks that sent it
 * @param complaints the number of users who complained about it
 * @param keeps the number of users who want to keep it
 */
public record Sighting(int traps, int networks, int complaints, int keeps) {
    /** Returns the number of independent sources of traps. */
    public int sources() {
        return Math.max(traps, networks);
    }
}
