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

    /** Connections that were taken. */
    public long connections() {
        return connections.sum();
    }

    /** Connections that were closed at once, because their address has too many. */
    public long refused() {
        return refused.sum();
    }

    /** Connections that were closed at once, because all places are taken by requests in hand and as many wait. */
    public long overflows() {
        return overflows.sum();
    }

    /** Connections that had asked nothing and were closed for others that needed their places. */
    public long displaced() {
        return displaced.sum();
    }

    /** Connections that the system could not give, such as for too many open files. */
    public long acceptFailures() {
        return acceptFailures.sum();
    }

    /** Connections that were closed because their time was over. */
    public long timedOut() {
        return timedOut.sum();
    }

    /** Connections that ended with an error of the network. */
    public long lost() {
        return lost.sum();
    }

    /** Requests that could not be read. */
    public long malformed() {
        return malformed.sum();
    }

    /** Requests that hit a defect of this program. */
    public long defects() {
        return defects.sum();
    }
}
