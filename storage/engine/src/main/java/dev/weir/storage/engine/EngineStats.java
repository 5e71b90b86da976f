package dev.weir.storage.engine;

import java.util.List;
import java.util.Optional;

import dev.weir.storage.Trouble;
import dev.weir.storage.log.ConsumerStatus;

/**
 * The state of a running engine.
 *
 * @param hashes number of stored digests
 * @param revision the last revision that is durable and that lookups see
 * @param queued number of updates that wait for the disk
 * @param pending number of updates in the log that the store lacks
 * @param logBytes size of the update log
 * @param databaseFailure why the store cannot be written at present; empty if it can
 * @param databaseDamage how damage of the store or the mirror was found; empty if none was found since the start
 * @param mirrorFailure why the mirror cannot be written at present; empty if it can, or there is none
 * @param refusing whether updates are refused at present because the log cannot be written
 * @param full whether learn requests are refused at present because the index is full
 * @param clockDoubt why the clock of the machine is not trusted at present; empty if it is
 * @param troubles everything that an operator must fix, the most important first
 * @param updates counts of updates
 * @param crowded how often a full posting list of the index displaced a hash
 * @param indexBytes memory of the index
 * @param store the state of the store
 * @param unmirrored number of updates that the mirror lacks; empty without a mirror
 * @param waitingRemovals number of removals that wait for an operator
 * @param heldRemovals number of removals that had to wait since the start
 * @param consumers those that follow the update log, the store first
 */
public record EngineStats(long hashes, long revision, int queued, long pending, long logBytes,
        String databaseFailure, String databaseDamage, String mirrorFailure, boolean refusing, boolean full,
        String clockDoubt, List<Trouble> troubles, Updates updates, long crowded, long indexBytes,
        CheckpointStats store, Optional<Long> unmirrored, int waitingRemovals, long heldRemovals,
        List<ConsumerStatus> consumers) {

    /**
     * Counts of updates since the start.
     *
     * @param syncs syncs of the log
     * @param stored stored updates of clients
     * @param failed updates that could not be stored, with an error reply
     * @param repeated repeated requests that were acknowledged again
     * @param expired flags removed because of their age
     * @param refreshed hashes renewed by a strong match
     */
    public record Updates(long syncs, long stored, long failed, long repeated, long expired, long refreshed) {}

    /** Copies the lists. */
    public EngineStats {
        consumers = List.copyOf(consumers);
        troubles = List.copyOf(troubles);
    }
}
