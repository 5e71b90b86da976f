package dev.weir.http.metrics;

import java.util.Optional;

/** Whether something works. Asked from any thread, answers at once. */
@FunctionalInterface
public interface Health {
    /** Always well. */
    Health GOOD = Optional::empty;

    /** Why it does not work, in a sentence for the operator; empty if it does. */
    Optional<String> failure();
}
