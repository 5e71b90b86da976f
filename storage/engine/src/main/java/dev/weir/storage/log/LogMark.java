package dev.weir.storage.log;

import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.storage.StorageException;

/**
 * A position in the history of a log, noted outside of the log. The log itself proves later whether it still has this
 * history: a folder that was restored from an older copy does not.
 *
 * @param revision the last update before the position
 * @param checksum the running checksum up to it
 * @param epoch the number of the epoch in which it was noted
 * @param branch the branch of this epoch
 */
public record LogMark(long revision, long checksum, int epoch, int branch) {
    private static final Pattern TEXT = Pattern.compile("([0-9]{1,19}):([0-9a-f]{16}):([0-9]{1,9}):([0-9a-f]{8})");

    /** What a log says about a mark. */
    public enum Standing {
        /** The log has this history. */
        HELD,
        /** The log lacks this position, or has another history there. */
        GONE,
        /** The log no longer reaches back to the position, and is in the epoch in which the mark was made. */
        RELEASED,
        /** The log no longer reaches back to the position, and another epoch has begun since. */
        DOUBTFUL
    }

    /** Returns the mark of the end of a log. */
    public static LogMark of(UpdateLog.Tip tip) {
        return new LogMark(tip.revision(), tip.checksum(), tip.epoch().number(), tip.epoch().branch());
    }

    /** Returns what a log says about this mark. */
    public Standing standing(UpdateLog log) throws StorageException {
        UpdateLog.Tip tip = log.tip();
        if (revision > tip.revision()) {
            return Standing.GONE;
        }
        OptionalLong there = log.checksumAt(revision);
        if (there.isPresent()) {
            return there.getAsLong() == checksum ? Standing.HELD : Standing.GONE;
        }
        return epoch == tip.epoch().number() && branch == tip.epoch().branch() ? Standing.RELEASED : Standing.DOUBTFUL;
    }

    /** Returns the text of {@link #toString} as a mark; empty for any other text. */
    public static Optional<LogMark> parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new LogMark(Long.parseLong(parts.group(1)), Long.parseUnsignedLong(parts.group(2), 16),
                    Integer.parseInt(parts.group(3)), Integer.parseUnsignedInt(parts.group(4), 16)));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%d:%016x:%d:%08x", revision, checksum, epoch, branch);
    }
}
