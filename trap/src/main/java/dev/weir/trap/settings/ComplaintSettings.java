package dev.weir.trap.settings;

/**
 * Complaints of users.
 *
 * @param sources where reports come from
 * @param keep the addresses that take mails which users want to keep
 * @param reports whether the mails in the folders are reports about the mails attached to them; otherwise users
 *        complain about the mails themselves
 * @param policy what they count
 */
public record ComplaintSettings(TrapSources sources, TrapAddresses keep, boolean reports, ComplaintPolicy policy) {}
