package dev.weir.storage.log;

import java.util.OptionalLong;

/**
 * What is known about the end of a log from outside its folder, so that a lost log or an older copy of it is noticed.
 *
 * @param least everything up to this update was on disk in the log
 * @param most no later update was acknowledged; {@link Long#MAX_VALUE} while the log is open
 * @param run the number of the run that the mark in the folder had when this was noted; 0 if unknown. A mark with a
 *            lower one is that of an older copy
 * @param checksum the running checksum up to {@code least}; empty if unknown. A log with another one has other updates
 *            than those that were acknowledged
 */
public record LogEnd(long least, long most, long run, OptionalLong checksum) {

    /** Returns the end of a log that goes on. */
    static LogEnd open(long least, long run, OptionalLong checksum) {
        return new LogEnd(least, Long.MAX_VALUE, run, checksum);
    }

    /** Returns the end of a log without a process that writes to it. */
    public static LogEnd closed(long last) {
        return new LogEnd(last, last, 0, OptionalLong.empty());
    }

    boolean isOpen() {
        return most == Long.MAX_VALUE;
    }

    LogEnd withoutChecksum() {
        return new LogEnd(least, most, run, OptionalLong.empty());
    }

    LogEnd inRun(long number) {
        return new LogEnd(least, most, number, checksum);
    }
}
