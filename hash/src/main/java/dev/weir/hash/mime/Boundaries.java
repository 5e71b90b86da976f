package dev.weir.hash.mime;

import java.util.Arrays;

import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.bytes.ByteSearch;

/**
 * All lines of a buffer that start with two dashes, each a possible multipart delimiter
 * (docs/reference/hashing.md#multipart). Found in one pass; every container then looks only at the candidates inside
 * itself.
 */
final class Boundaries {
    private static final int MAXIMUM = 100_000;

    private final byte[] data;
    /** Position of the first dash of each candidate, ascending. */
    private int[] starts = new int[16];
    private int count;
    /** The last candidate that some multipart took for its own. */
    private int lastUsed = -1;

    Boundaries(byte[] data, int from) {
        this.data = data;
        // The line break in front of a delimiter must not belong to the delimiter before it, except to a closing one.
        int free = from;
        int to = data.length - 2;
        for (int i = nextDash(from, to); i < to && count < MAXIMUM; i = nextDash(i + 1, to)) {
            boolean dashes = data[i + 1] == '-' && (i == from || (i > free && Ascii.isBreak(data[i
                    - 1])));
            // Two dashes alone, as above a signature, delimit nothing.
            if (dashes && !Ascii.isBreak(data[i + 2])) {
                if (count == starts.length) {
                    starts = Arrays.copyOf(starts, count * 2);
                }
                starts[count++] = i;
                free = isClosing(count - 1) ? closingContentStart(count - 1) : contentStart(count - 1);
                i = Math.max(i, free - 1);
            }
        }
    }

    private int nextDash(int from, int to) {
        return ByteSearch.indexOf(data, from, to, '-');
    }

    /** Index of the first candidate at or after a position; {@link #count()} if there is none. */
    int firstAt(int position) {
        int found = Arrays.binarySearch(starts, 0, count, position);
        return found >= 0 ? found : -found - 1;
    }

    void use(int index) {
        lastUsed = Math.max(lastUsed, index);
    }

    /** Index of the last candidate that a multipart claimed, or -1. */
    int lastUsed() {
        return lastUsed;
    }

    int count() {
        return count;
    }

    int start(int index) {
        return starts[index];
    }

    /** Position after the last byte of the delimiter text. */
    private int textEnd(int index) {
        int at = starts[index] + 2;
        while (at < data.length && !Ascii.isBreak(data[at])) {
            at++;
        }
        return at;
    }

    /** Position after the line break that follows the delimiter. */
    int contentStart(int index) {
        int at = textEnd(index);
        if (at < data.length) {
            at += data[at] == '\r' && at + 1 < data.length && data[at + 1] == '\n' ? 2 : 1;
        }
        return at;
    }

    /** Whether the text of the candidate is {@code boundary} (lower case) followed by {@code suffix}. */
    boolean matches(int index, String boundary, String suffix) {
        int at = starts[index] + 2;
        int end = at + boundary.length() + suffix.length();
        return end <= data.length && (end == data.length || Ascii.isBreak(data[end]))
                && Ascii.startsWithIgnoreCase(data, at, end, boundary)
                && Ascii.startsWithIgnoreCase(data, at + boundary.length(), end, suffix);
    }

    /** Position after the boundary of a closing delimiter: its dashes are the first content of what follows. */
    int closingContentStart(int index) {
        return textEnd(index) - 2;
    }

    /** Whether the candidate's text ends like a closing delimiter. */
    boolean isClosing(int index) {
        int end = textEnd(index);
        return end - starts[index] >= 4 && data[end - 1] == '-' && data[end - 2] == '-';
    }

    /** Lower-cased text of the candidate, without closing dashes. */
    String text(int index) {
        int end = textEnd(index) - (isClosing(index) ? 2 : 0);
        return Ascii.lower(Ascii.text(data, starts[index] + 2, end));
    }
}
