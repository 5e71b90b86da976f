package dev.weir.storage.engine;

import java.util.List;

/**
 * A look at a running engine.
 *
 * @param hashes digests that are stored
 * @param revision number of the last update that is on disk
 * @param queued updates that wait for the disk
 * @param pending updates that are in the log and not yet in the database
 * @param logBytes bytes of the update log
 * @param databaseFailure why the database cannot be written at the moment; empty when it can
 * @param databaseDamage how it was found that the database is damaged; empty when nothing was found since the start
 * @param refusing whether updates are refused at the moment because the log cannot be written
 * @param full whether learns are refused at the moment because the memory index has no room for them
 * @param clockDoubt why the clock of the machine is not believed at the moment; empty when it is
 * @param troubles all that an operator has to mend, the most important first
 * @param updates what became of updates
 * @param crowded how often a full posting list of the index displaced a hash
 */
public record EngineStats(long hashes, long revision, int queued, long pending, long logBytes,
        String databaseFailure, String databaseDamage, boolean refusing, boolean full, String clockDoubt,
        List<Trouble> troubles, Updates updates, long crowded) {

    /**
     * What became of updates since the start.
     *
     * @param syncs of the log
     * @param stored updates of clients that were stored
     * @param failed updates that could not be stored, which their clients were told
     * @param repeated requests that had been stored before and were acknowledged again
     * @param expired flags that were removed because of their age
     * @param refreshed hashes that a strong match renewed
     */
    public record Updates(long syncs, long stored, long failed, long repeated, long expired, long refreshed) {}

    /** Copies the list. */
    public EngineStats {
        troubles = List.copyOf(troubles);
    }
}
