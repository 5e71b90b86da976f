package dev.weir.storage.engine;

import java.util.List;
import java.util.Optional;

import dev.weir.storage.StorageException;
import dev.weir.storage.log.LogClaim;
import dev.weir.storage.queue.Quorum;

/** Something that follows the log of an engine beside its checkpoints, such as a mirror or a shared Redis. */
public interface Attachment {
    /**
     * Returns the claims that the log must respect from its start on.
     *
     * @throws StorageException if a position cannot be read
     */
    default List<LogClaim> claims() throws StorageException {
        return List.of();
    }

    /**
     * Returns the condition, beyond the own disk, under which updates are acknowledged; empty for none.
     *
     * @param progressed runs when more of the condition holds
     */
    default Optional<Quorum> quorum(Runnable progressed) {
        return Optional.empty();
    }

    /** Returns what hears of lookups without an answer; empty for nothing. */
    default Optional<MissListener> misses() {
        return Optional.empty();
    }

    /**
     * Makes the consumer of a recovered engine that has not started; empty if only the claims matter.
     *
     * @throws StorageException with a sentence for the operator; the engine does not start then
     */
    Optional<AttachedConsumer> attach(EngineParts parts) throws StorageException;
}
