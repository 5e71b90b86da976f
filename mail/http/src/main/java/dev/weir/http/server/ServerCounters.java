package dev.weir.http.server;

import java.util.concurrent.atomic.LongAdder;

/** The counters of a server since its start. Thread-safe. */
public final class ServerCounters {
    private final LongAdder connections = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder overflows = new LongAdder();
    private final LongAdder displaced = new LongAdder();
    private final LongAdder acceptFailures = new LongAdder();
    private final LongAdder timedOut = new LongAdder();
    private final LongAdder lost = new LongAdder();
    private final LongAdder malformed = new LongAdder();
    private final LongAdder defects = new LongAdder();

    void connected() {
        connections.increment();
    }

    void refusedOne() {
        refused.increment();
    }

    void overflow() {
        overflows.increment();
    }

    void displacedOne() {
        displaced.increment();
    }

    void acceptFailure() {
        acceptFailures.increment();
    }

    void timeOut() {
        timedOut.increment();
    }

    void lostOne() {
        lost.increment();
    }

    void malformedOne() {
        malformed.increment();
    }

    void defect() {
        defects.increment();
    }

    /** Returns the number of accepted connections. */
    public long connections() {
        return connections.sum();
    }

    /** Returns the number of connections closed at once because their address has too many. */
    public long refused() {
        return refused.sum();
    }

    /** Returns the number of connections closed at once because all places are busy and too many connections wait. */
    public long overflows() {
        return overflows.sum();
    }

    /** Returns the number of connections closed without a request because others needed their places. */
    public long displaced() {
        return displaced.sum();
    }

    /** Returns the number of connections that the system could not open, for example because of too many open files. */
    public long acceptFailures() {
        return acceptFailures.sum();
    }

    /** Returns the number of connections closed because their time was over. */
    public long timedOut() {
        return timedOut.sum();
    }

    /** Returns the number of connections that ended with a network error. */
    public long lost() {
        return lost.sum();
    }

    /** Returns the number of unreadable requests. */
    public long malformed() {
        return malformed.sum();
    }

    /** Returns the number of requests that hit a defect of this program. */
    public long defects() {
        return defects.sum();
    }
}
