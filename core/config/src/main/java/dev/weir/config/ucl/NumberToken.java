package dev.weir.config.ucl;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.config.source.Origin;
import org.jspecify.annotations.Nullable;

/** The parser of bare values that are numbers (docs/reference/configuration-language.md#numbers). */
final class NumberToken {
    // Nested quantifiers are possessive, so that long runs of digits are read only once.
    private static final Pattern PLAIN = Pattern.compile("(-?)(?:0[xX]([0-9a-fA-F]++)|([0-9]++(\\.[0-9]*+)?"
            + "(?:[eE][+-]?+[0-9]++)?+)([kKmMgGsShHdDwWyY][a-zA-Z]{0,2})?)");

    private static final Map<String, Long> DECIMAL = Map.of("k", 1_000L, "m", 1_000_000L, "g", 1_000_000_000L);
    private static final Map<String, Long> BINARY = Map.of("kb", 1L << 10, "mb", 1L << 20, "gb", 1L << 30);
    private static final Map<String, Double> TIME = Map
            .of("ms", 0.001, "ks", 1e3, "gs", 1e9, "s", 1.0, "min", 60.0, "h", 3600.0, "d", 86400.0, "w", 604800.0, "y",
                    31536000.0);
    /** The maximum length of a number. Longer runs of digits are rejected before they cost time. */
    private static final int LONGEST = 1024;

    private NumberToken() {}

    /** Thrown when a number is out of range. */
    static final class RangeException extends Exception {
        private static final long serialVersionUID = 1;
    }

    /** Returns whether the text is a number with a suffix, which becomes a string before a blank or a comment. */
    static boolean hasSuffix(String text) {
        if (text.length() > LONGEST) {
            return false;
        }
        Matcher matcher = PLAIN.matcher(text);
        return matcher.matches() && matcher.group(5) != null && isSuffix(matcher.group(5));
    }

    /** Returns whether the text is a number, with or without a suffix. */
    static boolean isNumber(String text) {
        if (text.length() > LONGEST) {
            return false;
        }
        Matcher matcher = PLAIN.matcher(text);
        return matcher.matches() && (matcher.group(5) == null || isSuffix(matcher.group(5)));
    }

    private static boolean isSuffix(String text) {
        String suffix = text.toLowerCase(Locale.ROOT);
        return DECIMAL.containsKey(suffix) || BINARY.containsKey(suffix) || TIME.containsKey(suffix);
    }

    /**
     * Reads a whole bare value.
     *
     * @param text the value up to its terminator
     * @param blankFollows whether a blank separates the value from its terminator
     * @return the number, or null if the text is not a number
     * @throws RangeException if the number is too large or too close to zero
     */
    static @Nullable UclValue read(String text, boolean blankFollows, Origin origin, int priority)
            throws RangeException {
        if (text.isEmpty() || text.length() > LONGEST || (text.charAt(0) != '-' && !Chars.isDigit(text.charAt(0)))) {
            return null;
        }
        Matcher matcher = PLAIN.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        String suffix = matcher.group(5) == null ? "" : matcher.group(5).toLowerCase(Locale.ROOT);
        if (!suffix.isEmpty() && (blankFollows || !isSuffix(suffix))) {
            return null;
        }
        try {
            if (matcher.group(2) != null) {
                return new UclInteger(Long.parseLong(matcher.group(1) + matcher.group(2), 16), origin, priority);
            }
            String digits = matcher.group(1) + matcher.group(3);
            boolean whole = digits.chars().allMatch(c -> c == '-' || Chars.isDigit(c));
            if (TIME.containsKey(suffix)) {
                return new UclTime(finite(seconds(real(digits), suffix)), origin, priority);
            }
            if (BINARY.containsKey(suffix)) {
                // The fraction is cut off before the multiplication: 1.5Mb is one mebibyte.
                double cut = whole ? 0 : real(digits);
                if (Math.abs(cut) >= 0x1p63) {
                    throw new RangeException();
                }
                long base = whole ? Long.parseLong(digits) : (long) cut;
                return new UclInteger(Math.multiplyExact(base, BINARY.getOrDefault(suffix, 1L)), origin, priority);
            }
            long factor = DECIMAL.getOrDefault(suffix, 1L);
            return whole
                    ? new UclInteger(Math.multiplyExact(Long.parseLong(digits), factor), origin, priority)
                    : new UclDouble(finite(real(digits) * factor), origin, priority);
        } catch (NumberFormatException | ArithmeticException e) {
            throw new RangeException();
        }
    }

    private static double seconds(double value, String suffix) {
        return suffix.equals("ms") ? value / 1000 : value * TIME.getOrDefault(suffix, 1.0);
    }

    private static double real(String digits) throws RangeException {
        double value = Double.parseDouble(digits);
        if (value == 0 && mantissa(digits).chars().anyMatch(c -> c >= '1' && c <= '9')) {
            throw new RangeException();
        }
        return finite(value);
    }

    private static String mantissa(String digits) {
        int exponent = Math.max(digits.indexOf('e'), digits.indexOf('E'));
        return exponent < 0 ? digits : digits.substring(0, exponent);
    }

    private static double finite(double value) throws RangeException {
        if (Double.isInfinite(value)) {
            throw new RangeException();
        }
        return value;
    }
}
