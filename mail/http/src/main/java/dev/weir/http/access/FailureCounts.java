package dev.weir.http.access;

import java.util.function.Supplier;

/**
 * The failures of authentication, counted twice: all of them, and without those that a page of another site may have
 * caused ({@link CrossSiteCheck#mayBeOfPage}). A picture in a page could otherwise lock out the address of its reader.
 * Failures of the first kind refuse further requests that a page could send; only the others refuse everything. So an
 * address has at most twice the guesses of one throttle.
 *
 * @param all counts all failures
 * @param sure counts the failures that no page caused
 */
record FailureCounts(Throttle all, Throttle sure) {
    static FailureCounts of(Supplier<Throttle> throttles) {
        return new FailureCounts(throttles.get(), throttles.get());
    }

    /** Returns counts with other limits and the same failures. */
    FailureCounts with(int most, double windowSeconds) {
        return new FailureCounts(all.with(most, windowSeconds), sure.with(most, windowSeconds));
    }

    /** Returns the throttle of a request. */
    Throttle of(boolean byPage) {
        return byPage ? all : sure;
    }

    /**
     * Counts a failure.
     *
     * @return whether requests of this kind are refused from now on and were not before
     */
    boolean failed(ClientNetwork network, boolean byPage) {
        boolean reached = all.failed(network);
        return byPage ? reached : sure.failed(network);
    }

    /** Forgets the failures of an address. */
    void succeeded(ClientNetwork network) {
        all.succeeded(network);
        sure.succeeded(network);
    }
}
