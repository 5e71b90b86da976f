package dev.weir.trap.settings;

/**
 * Complaints of users.
 *
 * @param sources where reports come from
 * @param keep the addresses that take mails which users want to keep
 * @param policy what they count
 */
public record ComplaintSettings(TrapSources sources, TrapAddresses keep, ComplaintPolicy policy) {}
