package dev.weir.storage.log;

/**
 * What is known about the end of a log from outside its folder, so that a lost log or an older copy of it is noticed.
 *
 * @param least everything up to this update was on disk in the log
 * @param most no later update was acknowledged; {@link Long#MAX_VALUE} while the log is open
 */
public record LogEnd(long least, long most) {

    /** Returns the end of a log that goes on. */
    static LogEnd open(long least) {
        return new LogEnd(least, Long.MAX_VALUE);
    }

    /** Returns the end of a log without a process that writes to it. */
    public static LogEnd closed(long last) {
        return new LogEnd(last, last);
    }
}
