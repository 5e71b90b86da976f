package dev.weir.load.stream;

/** When queries are sent. */
public sealed interface Pace {
    /** As soon as an answer has come or is given up, the next query: shows the highest rate. */
    record Closed(int outstanding) implements Pace {
        /** Checks that something is outstanding and that all of it can be remembered. */
        public Closed {
            if (outstanding < 1 || outstanding > MAX_OUTSTANDING) {
                throw new IllegalArgumentException(
                        outstanding + " queries outstanding are not between 1 and " + MAX_OUTSTANDING);
            }
        }
    }

    /**
     * At fixed moments, whatever the answers do: shows latency as clients see it. It counts from the moment at which a
     * query was due, so that a storage that stands still is charged for every query that waits.
     */
    record Open(double perSecond) implements Pace {
        /** Checks the rate. */
        public Open {
            if (!(perSecond > 0 && perSecond <= MAX_RATE)) {
                throw new IllegalArgumentException(
                        "a rate of " + perSecond + " a second is not between 0 and " + MAX_RATE);
            }
        }
    }

    /** The most that may be outstanding. */
    int MAX_OUTSTANDING = 1 << 16;

    /** The highest rate, a second. */
    double MAX_RATE = 10_000_000;
}
