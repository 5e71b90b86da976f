package dev.weir.cli.option;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A parser of durations: whole seconds, or a whole number with the unit m, h, d, w, or y. */
public final class TimeConverter implements ITypeConverter<Duration> {
    private static final Pattern TIME = Pattern.compile("(\\d{1,9})([smhdwy]?)");

    @Override
    public Duration convert(String text) {
        Matcher matcher = TIME.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException(
                    "\"" + text + "\" is no time: write a whole number with s, m, h, d, w or y behind it");
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
