package dev.weir.http.metrics;

import java.util.List;

/** A source of health reports. Thread-safe; answers at once. */
@FunctionalInterface
public interface Health {
    /** The health of something that always works. */
    Health GOOD = List::of;

    /**
     * A failure.
     *
     * @param reason a sentence for all clients, without paths, addresses or texts of other programs
     * @param detail further information for the operator; may be empty
     */
    record Failure(String reason, String detail) {
        /** Returns reason and detail, for clients with read access. */
        public String text() {
            return detail.isEmpty() ? reason : reason + ": " + detail;
        }
    }

    /** Returns the failures, the most important first; empty if everything works. */
    List<Failure> failures();
}
