package dev.weir.storage.log;

/**
 * The place and the state of a consumer of the update log.
 *
 * @param name the consumer in a word or two, such as {@code store}
 * @param retention how long the log keeps what it lacks
 * @param position the last update that it has; -1 if that is unknown, or it must begin again
 * @param behind the number of updates that it lacks
 * @param lagSeconds for how long it has lacked updates
 * @param failure the last failure; empty if there was none since the start
 * @param failureSeconds the time since then; -1 without one
 */
public record ConsumerStatus(String name, State state, LogClaim.Retention retention, long position, long behind,
        long lagSeconds, String failure, long failureSeconds) {
    /** What a consumer does. */
    public enum State {
        RUNNING,
        /** It tries again and again. */
        FAILING,
        /** The log no longer has what it lacks: it begins again with a copy. */
        BEHIND,
        /** It has ended, is away, or waits for an operator. */
        STOPPED
    }
}
