package dev.weir.storage;

/**
 * A condition that an operator must fix: the storage refuses updates or soon may, or the database is damaged.
 *
 * @param reason a sentence for all clients, without paths or texts of other programs
 * @param detail further information for the operator
 */
public record Trouble(String reason, String detail) {}
