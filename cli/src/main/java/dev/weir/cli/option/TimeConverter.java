package dev.weir.cli.option;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A parser of durations: a whole number, in seconds or with the unit s, m, h, d, w or y. */
public final class TimeConverter implements ITypeConverter<Duration> {
    private static final Pattern TIME = Pattern.compile("(\\d{1,9})([smhdwy]?)");

    @Override
    public Duration convert(String text) {
        Matcher matcher = TIME.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException(
                    "\"" + text + "\" is not a duration: write a whole number with the unit s, m, h, d, w or y");
        }
        long number = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            case "d" -> Duration.ofDays(number);
            case "w" -> Duration.ofDays(7 * number);
            case "y" -> Duration.ofDays(365 * number);
            default -> Duration.ofSeconds(number);
        };
    }
}
