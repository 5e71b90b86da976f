package dev.weir.http.metrics;

import java.util.List;

/** Whether something works. Asked from any thread, answers at once. */
@FunctionalInterface
public interface Health {
    /** Always well. */
    Health GOOD = List::of;

    /**
     * Something that does not work.
     *
     * @param reason a sentence for all clients: no path, no address, no text of another program
     * @param detail what the operator should know besides; may be empty
     */
    record Failure(String reason, String detail) {
        /** Both, for those who may read all. */
        public String text() {
            return detail.isEmpty() ? reason : reason + ": " + detail;
        }
    }

    /** What does not work, the most important first; empty if all does. */
    List<Failure> failures();
}
