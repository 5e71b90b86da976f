package dev.weir.storage.log;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import dev.weir.storage.StorageException;

/**
 * The part of a log before the updates that the store lacks which a start reads all the same, because clients may
 * repeat requests from it. The time of a request is that of a clock that may have been set since, so a pause counts as
 * at most {@link LogLimits#LONGEST_PAUSE}, as for those who remember requests.
 *
 * @param from the place of the first segment among all
 * @param behind the place of the first segment that the store needs
 */
record RecentSegments(List<Segment> all, int from, int behind) {
    /**
     * Finds the segments, from the latest one back.
     *
     * @param needed those that the store needs, at the end of all
     * @param time for which requests may be repeated; zero for none
     */
    static RecentSegments among(ReadableDisk disk, long storageId, List<Segment> all, List<Segment> needed,
            Duration time) throws IOException, StorageException {
        int behind = all.size() - needed.size();
        int from = behind;
        Passed passed = new Passed();
        while (from > 0 && passed.total() < time.toMillis()) {
            from--;
            passed.add(disk, storageId, all.subList(from, from + 1), all.get(from + 1).first() - 1);
        }
        return new RecentSegments(all, from, behind);
    }

    /** Passes their updates on. Blocks that cannot be read are left out: the store has them. */
    void read(ReadableDisk disk, long storageId, Consumer<LoggedUpdate> target) throws IOException, StorageException {
        if (from < behind) {
            scan(disk, storageId, all.subList(from, behind), all.get(behind).first() - 1, target);
        }
    }

    private static void scan(ReadableDisk disk, long storageId, List<Segment> segments, long until,
            Consumer<LoggedUpdate> target) throws IOException, StorageException {
        new LogScan(disk, storageId, until, ForcedMark.Forced.UNKNOWN, target).run(segments, until);
    }

    /** The time that passed while updates were logged. */
    private static final class Passed {
        private long total;
        private long later = Long.MAX_VALUE;

        long total() {
            return total;
        }

        /** Adds a segment and the pause after it. */
        void add(ReadableDisk disk, long storageId, List<Segment> segment, long until)
                throws IOException, StorageException {
            long[] first = {Long.MAX_VALUE};
            long[] last = {Long.MAX_VALUE};
            scan(disk, storageId, segment, until, update -> {
                if (last[0] == Long.MAX_VALUE) {
                    first[0] = update.millis();
                } else {
                    pass(last[0], update.millis());
                }
                last[0] = update.millis();
            });
            if (last[0] != Long.MAX_VALUE) {
                if (later != Long.MAX_VALUE) {
                    pass(last[0], later);
                }
                later = first[0];
            }
        }

        private void pass(long from, long to) {
            total += Math.clamp(to - from, 0, LogLimits.LONGEST_PAUSE);
        }
    }
}
