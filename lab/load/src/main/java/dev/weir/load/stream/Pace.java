package dev.weir.load.stream;

/** The pace at which queries are sent. */
public sealed interface Pace {
    /** Sends the next query when an answer arrives or is given up. Measures the highest rate. */
    record Closed(int outstanding) implements Pace {
        /** Checks that the number is positive and can be recorded. */
        public Closed {
            if (outstanding < 1 || outstanding > MAX_OUTSTANDING) {
                throw new IllegalArgumentException(
                        outstanding + " queries outstanding are not between 1 and " + MAX_OUTSTANDING);
            }
        }
    }

    /**
     * Sends at fixed times, whatever the answers do. Measures latency as clients see it. It counts from the time at
     * which a query was due, so that a storage that pauses is charged for every waiting query.
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

    /** The maximum number of outstanding queries. */
    int MAX_OUTSTANDING = 1 << 16;

    /** The maximum rate per second. */
    double MAX_RATE = 10_000_000;
}
