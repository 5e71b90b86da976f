package dev.weir.config.option;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.config.source.ConfigException;
import dev.weir.config.ucl.Ucl;
import dev.weir.config.ucl.UclBoolean;
import dev.weir.config.ucl.UclDouble;
import dev.weir.config.ucl.UclInteger;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclSettings;
import dev.weir.config.ucl.UclString;
import dev.weir.config.ucl.UclTime;
import dev.weir.config.ucl.UclValue;
import org.jspecify.annotations.Nullable;

/**
 * The values that an option takes: their type, their bounds, and the value that an author probably means instead of one
 * that does not fit.
 *
 * @param type the type in messages, with an article
 * @param bounds the bounds in messages, such as {@code from 1 to 64}; empty without any
 * @param example a value that fits, as the author would write it; empty if none says more than the type
 * @param convert returns null for a value of another type
 * @param within whether a converted value is within the bounds
 * @param nearest returns what the author probably means instead of a converted value out of the bounds
 */
record Expected<T>(String type, String bounds, String example, Function<UclValue, @Nullable T> convert,
        Predicate<T> within, Function<UclValue, Optional<String>> nearest) {
    private static final int MILLION = 1_000_000;
    /** The maximum length of a text that is searched for a number. */
    private static final int LONGEST = 40;
    private static final Pattern AMOUNT = Pattern.compile("(-?[0-9]{1,15}(?:\\.[0-9]{1,9})?)\\s*([a-zA-Z]{0,8})");
    /** The words for units of time that people use, and those of the language. */
    private static final Map<String, String> UNITS = Map.ofEntries(Map.entry("m", "min"), Map.entry("mins", "min"),
            Map.entry("minute", "min"), Map.entry("minutes", "min"), Map.entry("sec", "s"), Map.entry("secs", "s"),
            Map.entry("second", "s"), Map.entry("seconds", "s"), Map.entry("hr", "h"), Map.entry("hrs", "h"),
            Map.entry("hour", "h"), Map.entry("hours", "h"), Map.entry("day", "d"), Map.entry("days", "d"),
            Map.entry("week", "w"), Map.entry("weeks", "w"), Map.entry("year", "y"), Map.entry("years", "y"));

    /** Texts. */
    static Expected<String> text() {
        return new Expected<>("a string", "", "", value -> value instanceof UclString text ? text.text() : null,
                _ -> true, _ -> Optional.empty());
    }

    /** Booleans, and whole numbers, of which only 0 is false. */
    static Expected<Boolean> truth() {
        return new Expected<>("true or false", "", "", Expected::truth, _ -> true, _ -> Optional.empty());
    }

    /** Returns a boolean, or whether a whole number is not 0; null for a value of another type. */
    static @Nullable Boolean truth(UclValue value) {
        return switch (value) {
            case UclBoolean bool -> bool.value();
            case UclInteger number -> number.value() != 0;
            default -> null;
        };
    }

    /** Whole numbers within inclusive bounds. */
    static Expected<Long> whole(long least, long most) {
        Predicate<Long> within = value -> value >= least && value <= most;
        String bounds = most == Long.MAX_VALUE ? "from " + least + " upwards" : "from " + least + " to " + most;
        return new Expected<>("a whole number", bounds, String.valueOf(Math.clamp(1L, least, most)), Expected::whole,
                within, value -> switch (value) {
                    case UclInteger number -> Optional.of(String.valueOf(Math.clamp(number.value(), least, most)));
                    default -> Optional.ofNullable(amount(value)).filter(Double::isFinite)
                            .map(number -> String.valueOf(Math.clamp(Math.round(number), least, most)));
                });
    }

    /** Numbers within inclusive bounds; never NaN. */
    static Expected<Double> real(double least, double most) {
        return new Expected<>("a number", "from " + plain(least) + " to " + plain(most),
                plain(Math.clamp(1, least, most)), Expected::real, value -> value >= least && value <= most,
                value -> Optional.ofNullable(amount(value)).map(number -> plain(Math.clamp(number, least, most))));
    }

    /** Times in seconds within inclusive bounds. */
    static Expected<Double> time(Duration least, Duration most) {
        double from = least.toMillis() / 1000.0;
        double to = most.toMillis() / 1000.0;
        Predicate<Double> within = value -> value >= from && value <= to;
        return new Expected<>("a time", "from " + plain(from) + " to " + plain(to) + " seconds (" + unit(from) + " to "
                + unit(to) + ")", unit(Math.clamp(10, from, to)), Expected::time, within,
                value -> Optional.ofNullable(amount(value)).map(seconds -> {
                    double minutes = seconds / MILLION;
                    return minutes == Math.rint(minutes) && minutes != 0 && within.test(minutes * 60)
                            ? plain(minutes) + "min"
                            : unit(Math.clamp(seconds, from, to));
                }));
    }

    /** Returns what the author probably means instead of a value that does not fit. */
    Optional<String> meant(UclValue value) {
        if (value instanceof UclString text) {
            return inText(text.text());
        }
        return nearest.apply(value);
    }

    /** Returns the value in a text that has quotes, blanks or words for a unit too many. */
    private Optional<String> inText(String text) {
        Matcher matcher = AMOUNT.matcher(text.strip());
        if (text.length() > LONGEST || !matcher.matches()) {
            return Optional.empty();
        }
        String unit = matcher.group(2).toLowerCase(Locale.ROOT);
        String written = matcher.group(1) + (type.equals("a time") ? UNITS.getOrDefault(unit, unit) : unit);
        return parsed(written).flatMap(value -> {
            T converted = convert.apply(value);
            return converted == null
                    ? Optional.empty()
                    : within.test(converted) ? Optional.of(written) : nearest.apply(value);
        });
    }

    private static Optional<UclValue> parsed(String text) {
        try {
            return Ucl.parse("a value", "value = " + text + "\n", UclSettings.PLAIN).root() instanceof UclObject root
                    ? root.values("value").stream().findFirst()
                    : Optional.empty();
        } catch (ConfigException e) {
            return Optional.empty();
        }
    }

    private static @Nullable Double amount(UclValue value) {
        Double amount = time(value);
        return amount == null || Double.isNaN(amount) ? null : amount;
    }

    private static @Nullable Long whole(UclValue value) {
        return switch (value) {
            case UclInteger integer -> integer.value();
            // A size such as 1.5g has a fraction only as it is written.
            case UclDouble number when number.value() == Math.rint(number.value())
                    && Math.abs(number.value()) < 0x1p53 ->
                (long) number.value();
            default -> null;
        };
    }

    private static @Nullable Double real(UclValue value) {
        return switch (value) {
            case UclInteger integer -> (double) integer.value();
            case UclDouble number when !Double.isNaN(number.value()) -> number.value();
            default -> null;
        };
    }

    private static @Nullable Double time(UclValue value) {
        return value instanceof UclTime time ? Double.valueOf(time.seconds()) : real(value);
    }

    /** Returns a number without a fraction that it does not have. */
    static String plain(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e18
                ? String.valueOf((long) value)
                : String.valueOf(value).toLowerCase(Locale.ROOT);
    }

    /** Returns a time in the greatest unit that needs no fraction. */
    private static String unit(double seconds) {
        for (Map.Entry<String, Integer> unit : Map.of("d", 86_400, "h", 3600, "min", 60).entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed()).toList()) {
            double count = seconds / unit.getValue();
            if (count != 0 && count == Math.rint(count)) {
                return plain(count) + unit.getKey();
            }
        }
        return seconds != 0 && Math.abs(seconds) < 1 ? plain(seconds * 1000) + "ms" : plain(seconds) + "s";
    }
}
