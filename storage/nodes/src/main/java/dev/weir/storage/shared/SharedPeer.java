package dev.weir.storage.shared;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a node tells the other ones of itself every few seconds, in Redis.
 *
 * @param node its random name
 * @param machine the name of its machine; printable, without spaces, at most 64 characters
 * @param silentSeconds how long ago it told this, by the clock of Redis
 * @param hashes number of its hashes
 * @param unsent number of its updates that Redis lacked
 * @param used number of changes of all streams that it had used
 * @param ahead how many seconds its clock was ahead of that of Redis
 */
public record SharedPeer(String node, String machine, long silentSeconds, long hashes, long unsent, long used,
        long ahead) {
    private static final Pattern TEXT = Pattern
            .compile(
                    "1 ([0-9]{1,12}) ([0-9]{1,18}) ([0-9]{1,18}) ([0-9]{1,18}) ([!-~]{1,64})"
                            + "(?: (-?[0-9]{1,12}))?(?: .*)?");
    private static final Pattern NODE = Pattern.compile("[0-9a-f]{16}");

    /** Returns what to write at a time of Redis, in seconds since 1970. */
    String text(long now) {
        return "1 " + (now - silentSeconds) + " " + hashes + " " + unsent + " " + used + " " + machine + " " + ahead;
    }

    /**
     * Reads what a node wrote.
     *
     * @param now the time of Redis in seconds since 1970
     * @return empty if another program or a later version wrote it
     */
    static Optional<SharedPeer> parse(String node, String text, long now) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches() || !NODE.matcher(node).matches()) {
            return Optional.empty();
        }
        return Optional.of(new SharedPeer(node, matcher.group(5), Math.max(0, now - Long.parseLong(matcher.group(1))),
                Long.parseLong(matcher.group(2)), Long.parseLong(matcher.group(3)),
                Long.parseLong(matcher.group(4)),
                matcher.group(6) == null ? 0 : Long.parseLong(matcher.group(6))));
    }

    /** Returns a name as this record may have it. */
    static String printable(String name) {
        String text = name.replaceAll("[^!-~]", "_");
        return text.isEmpty() ? "unknown" : text.substring(0, Math.min(64, text.length()));
    }
}
