package dev.weir.scan.score;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** How a stored value and a probability become a score (docs/reference/scanner.md#score). */
public enum Curve {
    /** Rspamd 4.1.3 and later: tanh of the value; the probability counts from {@code prob_bias} on. */
    CURRENT("4.1"),
    /** Rspamd 1.9 to 4.1.2: tanh of the value; the square root of the probability. */
    LEGACY_1_9("legacy-1.9"),
    /** Nothing up to the limit, then in a straight line to the full score at twice the limit; probability as now. */
    RAMP("ramp");

    private final String word;

    Curve(String word) {
        this.word = word;
    }

    /** The value of option {@code score_curve}. */
    public String word() {
        return word;
    }

    /** The curve of a word, letter case ignored. */
    public static Optional<Curve> of(String word) {
        return Stream.of(values()).filter(curve -> curve.word.equals(word.toLowerCase(Locale.ROOT))).findFirst();
    }

    /**
     * What a value is worth.
     *
     * @param limit the {@code hits_limit}; with 0 everything scores 0
     * @return from -1 to 1, of the sign of the value
     */
    double base(int value, double limit) {
        if (limit == 0) {
            return 0;
        }
        return switch (this) {
            case CURRENT, LEGACY_1_9 -> Math.tanh(Math.E * value / limit);
            case RAMP -> Math.copySign(Math.clamp((Math.abs((double) value) - limit) / limit, 0.0, 1.0), value);
        };
    }

    /** Bytes of text beside an image that are few: 25 by the specification of 4.1.6, 50 as 3.4 was seen to have it. */
    int shortText() {
        return switch (this) {
            case CURRENT, RAMP -> 25;
            case LEGACY_1_9 -> 50;
        };
    }

    /** What a probability makes of it, for everything but images. */
    double certainty(double probability, double bias, double power) {
        return switch (this) {
            case CURRENT, RAMP -> Math.pow(Math.clamp((probability - bias) / (1 - bias), 0.0, 1.0), power);
            case LEGACY_1_9 -> Math.sqrt(Math.clamp(probability, 0.0, 1.0));
        };
    }
}
