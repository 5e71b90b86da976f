package dev.weir.storage.push;

import java.util.OptionalLong;

/**
 * How far a slave has come in the log of this storage.
 *
 * @param position the last update of the log that the slave has
 * @param checksum the running checksum up to it; empty in a file of an earlier version
 * @param revision the number of the last batch
 * @param end the last update of the batch after it that was sent perhaps; 0 for none
 * @param taken whether the slave has taken a batch
 */
record SlaveProgress(long position, OptionalLong checksum, long revision, long end, boolean taken) {
    /** Returns the state before the next batch is sent. */
    SlaveProgress sending(long last) {
        return new SlaveProgress(position, checksum, revision, last, taken);
    }

    /** Returns the state with another number of the last batch. */
    SlaveProgress numbered(long number) {
        return new SlaveProgress(position, checksum, number, end, taken);
    }
}
