package dev.weir.storage.admin;

import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

import dev.weir.storage.StorageException;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.admin.RefusedException.Ground;
import dev.weir.storage.hits.HitTable;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.undo.UndoPlan;
import dev.weir.storage.undo.UndoRequest;
import dev.weir.storage.undo.UndoResult;
import dev.weir.storage.undo.UndoStep;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rehearsal and the execution of an undo. */
public final class UndoAdmin {
    private static final Logger LOG = LoggerFactory.getLogger(UndoAdmin.class);
    private static final int SHOWN = 10;

    private final StorageServer storage;

    /** Creates the undo of a storage. */
    public UndoAdmin(StorageServer storage) {
        this.storage = storage;
    }

    /**
     * Returns the consequences and changes nothing.
     *
     * @throws RefusedException if the audit trail cannot be read, the request selects too much, another undo runs for
     *         too long, or the server stops
     */
    public UndoPlan rehearse(UndoRequest request) throws RefusedException {
        try {
            return storage.undo().rehearse(request);
        } catch (StorageException e) {
            throw new RefusedException(Ground.IMPOSSIBLE, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RefusedException(Ground.UNAVAILABLE, "the server stops");
        }
    }

    /**
     * Carries out an undo.
     *
     * @param by the operator
     * @throws RefusedException as {@link #rehearse}, and if the request selects changes without a last revision
     * @throws InterruptedException if the server stops; a part of the undo is done then
     */
    public UndoResult apply(UndoRequest request, UpdateSubmitter by) throws RefusedException, InterruptedException {
        if (request.digests().isEmpty() && request.filter().upTo() == Long.MAX_VALUE) {
            throw new RefusedException(Ground.INVALID,
                    "revision is missing: rehearse first, and send the revision of the rehearsal");
        }
        UndoResult result;
        try {
            result = storage.undo().apply(request, by);
        } catch (StorageException e) {
            throw new RefusedException(Ground.IMPOSSIBLE, String.valueOf(e.getMessage()));
        }
        LOG.info("undo {} by {}: {} flags of {} hashes, {} updates stored, {} failed",
                result.id().isEmpty() ? "of nothing" : result.id(), by.description(), result.plan().steps().size(),
                result.plan().hashes(), result.stored(), result.failed());
        return result;
    }

    /** A step with the hits of its hash in the last day. */
    public record CountedStep(UndoStep step, long hits) {
        private static final Comparator<CountedStep> SMALLEST_FIRST = Comparator.comparingLong(CountedStep::hits)
                .thenComparingLong(counted -> Math.abs(counted.step().brought()));
    }

    /** Returns the steps with the largest consequences, the largest one first. A plan may have a million steps. */
    public List<CountedStep> largest(UndoPlan plan) {
        long now = storage.hashes().now();
        PriorityQueue<CountedStep> largest = new PriorityQueue<>(SHOWN + 1, CountedStep.SMALLEST_FIRST);
        for (UndoStep step : plan.steps()) {
            largest.add(new CountedStep(step,
                    storage.hits().of(step.digest(), now).map(HitTable.Hits::day).orElse(0L)));
            if (largest.size() > SHOWN) {
                largest.remove();
            }
        }
        return largest.stream().sorted(CountedStep.SMALLEST_FIRST.reversed()).toList();
    }
}
