package dev.weir.storage.push;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A position in the update log of a master, which the log can verify.
 *
 * @param storage the number of the storage whose log counts
 * @param position the last update before it
 * @param checksum the running checksum of the log up to that update
 */
public record LogPlace(long storage, long position, long checksum) {
    private static final Pattern TEXT = Pattern.compile("([0-9a-f]{16}):([0-9]{1,19}):([0-9a-f]{16})");

    /** Returns the text of {@link #toString} as a place; empty for any other text. */
    public static Optional<LogPlace> parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new LogPlace(Long.parseUnsignedLong(parts.group(1), 16),
                    Long.parseLong(parts.group(2)), Long.parseUnsignedLong(parts.group(3), 16)));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%016x:%d:%016x", storage, position, checksum);
    }
}
