package dev.weir.storage.waves;

/** What the storage does about a group. */
public enum WaveState {
    /** It is counted only: it is too small, or nothing is configured. */
    COUNTED("counted"),
    /** Checks of its mails get an answer. */
    ANSWERS("answers"),
    /** Its hashes were learned. */
    LEARNED("learned"),
    /** It is near a hash with a flag of wanted mail. */
    WANTED("wanted"),
    /** A digest of it is on the skip list. */
    SKIPPED("skipped"),
    /** A mail of it came from an exempt sender. */
    EXEMPT("exempt"),
    /** Another node excludes it. */
    EXCLUDED("excluded"),
    /** A hash of it is stored already, so checks find that. */
    KNOWN("known");

    private final String label;

    WaveState(String label) {
        this.label = label;
    }

    /** Returns the word for operators and programs. */
    public String label() {
        return label;
    }

    /** Returns whether the group must never answer or be learned automatically. */
    public boolean isExcluded() {
        return this == WANTED || this == SKIPPED || this == EXEMPT || this == EXCLUDED;
    }
}
