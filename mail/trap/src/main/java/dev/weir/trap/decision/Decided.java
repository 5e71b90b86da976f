package dev.weir.trap.decision;

/**
 * An outcome.
 *
 * @param reason one sentence; empty if the outcome says it all
 */
public record Decided(TrapOutcome outcome, String reason) {
    /** Returns an outcome that says it all. */
    public static Decided of(TrapOutcome outcome) {
        return new Decided(outcome, "");
    }
}
