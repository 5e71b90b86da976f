package dev.weir.storage.push;

import java.util.Optional;

import dev.weir.storage.log.LogMark;

/**
 * What a slave has of a source.
 *
 * @param number the last batch
 * @param place the place in the log of the master; empty for a master that does not say it
 * @param own the end of the slave's own log when it was complete; empty if a database or an earlier version counted
 * @param doubtful whether a lost or damaged file may hide more of it, so that its place is no longer known
 */
record PushedSource(long number, Optional<LogPlace> place, Optional<LogMark> own, boolean doubtful) {
    static PushedSource numbered(long number) {
        return new PushedSource(number, Optional.empty(), Optional.empty(), false);
    }

    /** Returns the same source with a place that is not known. */
    PushedSource doubted(long least) {
        return new PushedSource(Math.max(number, least), place, own, true);
    }

    /** Returns what the slave says to the master. */
    SlavePlace told() {
        return doubtful
                ? new SlavePlace.Doubtful()
                : place.<SlavePlace>map(SlavePlace.At::new).orElseGet(SlavePlace.Nothing::new);
    }
}
