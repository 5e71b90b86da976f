package dev.weir.storage.settings;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.storage.access.RateLimit;

/**
 * Rates as people write them: {@code 100 / 1m}, {@code 2.5k / 10s}, {@code 30 / h}
 * (docs/reference/storage.md#key-extensions).
 */
final class RateText {
    private static final String NUMBER = "(\\d{1,12}(?:\\.\\d{1,9})?)";
    private static final Pattern AMOUNT = Pattern.compile(NUMBER + "\\s*([kmg]?)");
    private static final Pattern RATE = Pattern.compile(AMOUNT.pattern() + "\\s*/\\s*(?:" + NUMBER + ")?\\s*([smhd]?)");

    private RateText() {}

    /** So many at once, which leak out in that time; nothing if it is no such text or 0. */
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

    /** Returns a number with {@code k}, {@code m} or {@code g} behind it for thousands, millions and so on. */
    static Optional<Double> amount(String text) {
        Matcher matcher = AMOUNT.matcher(text.strip().toLowerCase(Locale.ROOT));
        return matcher.matches() ? Optional.of(scaled(matcher.group(1), matcher.group(2))) : Optional.empty();
    }

    /** Returns a limit, if both numbers make one. */
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
