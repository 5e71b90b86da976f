package dev.weir.hash.mime;

import java.util.Arrays;

import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.bytes.ByteSearch;

/**
 * The possible multipart delimiters of a buffer: all lines that start with two dashes
 * (docs/reference/hashing.md#multipart). One pass finds them all; each container then examines only the candidates in
 * its own range.
 */
final class Boundaries {
    private static final int MAXIMUM = 100_000;

    private final byte[] data;
    /** Position of the first dash of each candidate, ascending. */
    private int[] starts = new int[16];
    private int count;
    /** The last candidate that matched the boundary of a multipart. */
    private int lastUsed = -1;

    Boundaries(byte[] data, int from) {
        this.data = data;
        // The line break before a delimiter must not belong to the previous delimiter, unless that is a closing one.
        int free = from;
        int to = data.length - 2;
        for (int i = nextDash(from, to); i < to && count < MAXIMUM; i = nextDash(i + 1, to)) {
            boolean dashes = data[i + 1] == '-' && (i == from || (i > free && Ascii.isBreak(data[i
                    - 1])));
            // Two dashes alone, as before a signature, are not a delimiter.
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

    /** Returns the index of the first candidate at or after a position, or {@link #count()} if there is none. */
    int firstAt(int position) {
        int found = Arrays.binarySearch(starts, 0, count, position);
        return found >= 0 ? found : -found - 1;
    }

    void use(int index) {
        lastUsed = Math.max(lastUsed, index);
    }

    /** Returns the index of the last candidate that a multipart claimed, or -1. */
    int lastUsed() {
        return lastUsed;
    }

    int count() {
        return count;
    }

    int start(int index) {
        return starts[index];
    }

    /** Returns the position after the last byte of the delimiter text. */
    private int textEnd(int index) {
        int at = starts[index] + 2;
        while (at < data.length && !Ascii.isBreak(data[at])) {
            at++;
        }
        return at;
    }

    /** Returns the position after the line break that follows the delimiter. */
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

    /**
     * Returns the position after the boundary of a closing delimiter. The closing dashes count as the first content of
     * the part that follows.
     */
    int closingContentStart(int index) {
        return textEnd(index) - 2;
    }

    /** Whether the candidate's text ends like a closing delimiter. */
    boolean isClosing(int index) {
        int end = textEnd(index);
        return end - starts[index] >= 4 && data[end - 1] == '-' && data[end - 2] == '-';
    }

    /** Returns the text of the candidate in lower case, without closing dashes. */
    String text(int index) {
        int end = textEnd(index) - (isClosing(index) ? 2 : 0);
        return Ascii.lower(Ascii.text(data, starts[index] + 2, end));
    }
}
