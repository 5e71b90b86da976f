package dev.weir.scan.score;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The function from a stored value and a probability to a score (docs/reference/scanner.md#score). */
public enum Curve {
    /** Rspamd 4.1.3 and later: tanh of the value; the probability counts from {@code prob_bias} on. */
    CURRENT("4.1"),
    /** Rspamd 1.9 to 4.1.2: tanh of the value; the square root of the probability. */
    LEGACY_1_9("legacy-1.9"),
    /**
     * Zero up to the limit, then a straight line to the full score at twice the limit; the probability counts as in
     * 4.1.3.
     */
    RAMP("ramp");

    private final String word;

    Curve(String word) {
        this.word = word;
    }

    /** Returns the value of the option {@code score_curve}. */
    public String word() {
        return word;
    }

    /** Returns the curve with a name. Ignores letter case. */
    public static Optional<Curve> of(String word) {
        return Stream.of(values()).filter(curve -> curve.word.equals(word.toLowerCase(Locale.ROOT))).findFirst();
    }

    /**
     * Returns the score of a value.
     *
     * @param limit the {@code hits_limit}; with 0 everything scores 0
     * @return a number from -1 to 1 with the sign of the value, or with the opposite sign if the limit is negative
     */
    public double base(int value, double limit) {
        if (limit == 0) {
            return 0;
        }
        return switch (this) {
            case CURRENT, LEGACY_1_9 -> Math.tanh(Math.E * value / limit);
            case RAMP -> Math.copySign(Math.clamp(Math.abs(value / limit) - 1, 0.0, 1.0), value / limit);
        };
    }

    /**
     * The limit for little text next to an image, in bytes: 25 according to Rspamd 4.1.6, 50 in the behavior of 3.4.
     */
    int shortText() {
        return switch (this) {
            case CURRENT, RAMP -> 25;
            case LEGACY_1_9 -> 50;
        };
    }

    /** Returns the factor for a probability, for all hashes except those of images. */
    double certainty(double probability, double bias, double power) {
        return switch (this) {
            case CURRENT, RAMP -> Math.pow(Math.clamp((probability - bias) / (1 - bias), 0.0, 1.0), power);
            case LEGACY_1_9 -> Math.sqrt(Math.clamp(probability, 0.0, 1.0));
        };
    }
}
