package dev.weir.scan.outgoing;

import java.time.Duration;

/**
 * The section {@code outgoing} of {@code fuzzy_check}.
 *
 * @param recipients the most recipients of one text from one login in the window
 * @param window the time in which recipients count, 1 to 60 minutes
 * @param symbol the symbol of a mail beyond that
 * @param score its score
 */
public record OutgoingSettings(int recipients, Duration window, String symbol, double score) {
    /** The longest window. */
    public static final Duration LONGEST = Duration.ofHours(1);

    /** Checks the bounds. */
    public OutgoingSettings {
        if (recipients < 1 || window.compareTo(Duration.ofMinutes(1)) < 0 || window.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(recipients + " recipients in " + window);
        }
    }
}
