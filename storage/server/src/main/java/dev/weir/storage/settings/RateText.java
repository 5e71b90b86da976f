package dev.weir.storage.settings;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.storage.access.RateLimit;

/**
 * Parser for rates such as {@code 100 / 1m}, {@code 2.5k / 10s} and {@code 30 / h}
 * (docs/reference/storage.md#key-extensions).
 */
final class RateText {
    private static final String NUMBER = "(\\d{1,12}(?:\\.\\d{1,9})?)";
    private static final Pattern AMOUNT = Pattern.compile(NUMBER + "\\s*([kmg]?)");
    private static final Pattern RATE = Pattern.compile(AMOUNT.pattern() + "\\s*/\\s*(?:" + NUMBER + ")?\\s*([smhd]?)");

    private RateText() {}

    /**
     * Parses {@code burst / time}: the burst leaks out in that time. Returns empty if the text is malformed or a number
     * is 0.
     */
    static Optional<RateLimit> parse(String text) {
        Matcher matcher = RATE.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!matcher.matches() || (matcher.group(3) == null && matcher.group(4).isEmpty())) {
            return Optional.empty();
        }
        double amount = scaled(matcher.group(1), matcher.group(2));
        double time = (matcher.group(3) == null ? 1 : Double.parseDouble(matcher.group(3)))
                * seconds(matcher.group(4));
        return limit(amount, amount / time);
    }

    /**
     * Parses a number with an optional suffix: {@code k}, {@code m} or {@code g} for thousands, millions or billions.
     */
    static Optional<Double> amount(String text) {
        Matcher matcher = AMOUNT.matcher(text.strip().toLowerCase(Locale.ROOT));
        return matcher.matches() ? Optional.of(scaled(matcher.group(1), matcher.group(2))) : Optional.empty();
    }

    /** Returns a limit, or empty if a number is not positive and finite. */
    static Optional<RateLimit> limit(double burst, double rate) {
        return burst > 0 && rate > 0 && Double.isFinite(burst) && Double.isFinite(rate)
                ? Optional.of(new RateLimit(burst, rate))
                : Optional.empty();
    }

    private static double scaled(String number, String suffix) {
        return Double.parseDouble(number) * switch (suffix) {
            case "k" -> 1e3;
            case "m" -> 1e6;
            case "g" -> 1e9;
            default -> 1;
        };
    }

    private static int seconds(String unit) {
        return switch (unit) {
            case "m" -> 60;
            case "h" -> 3_600;
            case "d" -> 86_400;
            default -> 1;
        };
    }
}
