package dev.weir.storage.engine;

/**
 * Something that an operator has to mend: for which a storage refuses updates or soon may, or a damaged database.
 *
 * @param reason a sentence for all clients: it has no path and no words of another program
 * @param detail what the operator should know besides
 */
public record Trouble(String reason, String detail) {}
