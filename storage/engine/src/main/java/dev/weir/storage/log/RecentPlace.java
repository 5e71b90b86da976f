package dev.weir.storage.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

import dev.weir.storage.StorageException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The place in a log after which clients may still repeat the requests. A copy of the hashes brings the updates from
 * there on along, so that it recognizes the repetitions, too.
 *
 * <p>As for {@link RecentSegments}, a pause between two updates counts as at most {@link LogLimits#LONGEST_PAUSE},
 * because the clock may have been set since.
 *
 * @param revision the last update before the place
 * @param checksum the running checksum up to it; empty if the history of the log began later
 */
public record RecentPlace(long revision, OptionalLong checksum) {
    private static final Logger LOG = LoggerFactory.getLogger(RecentPlace.class);
    private static final int READ = 1_024;

    /** The facts about one update that decide. */
    private record Passing(long millis, boolean asked, OptionalLong before) {}

    /**
     * Finds the place before the first request that clients may repeat. Reads one segment, or more in a busy log.
     *
     * @param until the revision at which the copy ends
     * @param checksum the running checksum up to there
     * @return the place {@code until} if the log has no such request; at the earliest, the place at which the log
     *         begins
     */
    public static RecentPlace before(UpdateLog log, long until, long checksum) {
        RecentPlace found = new RecentPlace(until, OptionalLong.of(checksum));
        long time = log.repeats().toMillis();
        long passed = 0;
        long later = Long.MIN_VALUE;
        boolean known = true;
        long end = until;
        for (KeptSegment kept = log.segmentOf(end); kept != null && passed < time; kept = log.segmentOf(end)) {
            long first = kept.segment.first();
            // What is before another history does not lead to this one.
            known &= kept.checksum.isPresent();
            List<Passing> updates;
            try {
                updates = read(log, first, end, known ? kept.checksum : OptionalLong.empty());
            } catch (StorageException e) {
                LOG.warn("a copy begins without some requests that clients may repeat: {}", e.getMessage(), e);
                return found;
            }
            for (int i = updates.size() - 1; i >= 0; i--) {
                Passing update = updates.get(i);
                passed += later == Long.MIN_VALUE
                        ? 0
                        : Math.clamp(later - update.millis(), 0, LogLimits.LONGEST_PAUSE);
                later = update.millis();
                if (passed > time) {
                    return found;
                }
                if (update.asked()) {
                    found = new RecentPlace(first + i - 1, update.before());
                }
            }
            end = first - 1;
        }
        return found;
    }

    private static List<Passing> read(UpdateLog log, long first, long end, OptionalLong checksum)
            throws StorageException {
        List<Passing> updates = new ArrayList<>();
        OptionalLong sum = checksum;
        try (LogReader reader = log.reader(first)) {
            while (reader.next() <= end) {
                for (LoggedUpdate update : reader.read((int) Math.min(READ, end + 1 - reader.next()))) {
                    updates.add(new Passing(update.millis(), update.origin().address() != null, sum));
                    sum = sum.isEmpty() ? sum : OptionalLong.of(RunningChecksum.after(sum.getAsLong(), update));
                }
            }
        } catch (IOException e) {
            LOG.debug("closing a file of the log failed", e);
        }
        return updates;
    }
}
