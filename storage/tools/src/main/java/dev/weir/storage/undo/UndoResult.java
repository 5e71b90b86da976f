package dev.weir.storage.undo;

/**
 * The outcome of an undo.
 *
 * @param id the name of the undo in the audit trail, as a Message-ID, with which it can be undone; empty if nothing was
 *            to be done
 * @param plan what was to be done
 * @param stored the number of updates that are on disk
 * @param failed the number of updates that could not be stored
 */
public record UndoResult(String id, UndoPlan plan, long stored, long failed) {}
