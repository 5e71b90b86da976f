/**
 * The audit trail: who changed which hash, from the database and the update log, and the conditions that select
 * changes. Look here when {@code weir log}, a search or an undo selects the wrong changes.
 */
@NullMarked
package dev.weir.storage.trail;

import org.jspecify.annotations.NullMarked;
