package dev.weir.hash.mime;

import java.util.Arrays;
import java.util.BitSet;

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
    /** The candidates that end like a closing delimiter although a multipart has such a boundary. */
    private final BitSet opening = new BitSet();

    /**
     * @param from start of the body; the line break in front of it may precede the first candidate
     */
    Boundaries(byte[] data, int from) {
        this.data = data;
        int to = data.length - 1;
        for (int i = nextDashes(from, to); i < to && count < MAXIMUM; i = nextDashes(i + 1, to)) {
            // Two dashes alone, as before a signature, are not a delimiter.
            if (i > 0 && Ascii.isBreak(data[i - 1]) && !Ascii.isBreak(data[i + 2])) {
                if (count == starts.length) {
                    starts = Arrays.copyOf(starts, count * 2);
                }
                starts[count++] = i;
            }
        }
    }

    private int nextDashes(int from, int to) {
        return ByteSearch.indexOfTwo(data, from, to, '-');
    }

    /** Returns the index of the first candidate at or after a position, or {@link #count()} if there is none. */
    int firstAt(int position) {
        int found = Arrays.binarySearch(starts, 0, count, position);
        return found >= 0 ? found : -found - 1;
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

    /**
     * Returns the position of the content: after the line break that follows the delimiter. The closing dashes count as
     * content.
     */
    int contentStart(int index) {
        int at = textEnd(index);
        if (endsInDashes(index)) {
            return at - 2;
        }
        if (at < data.length) {
            at += data[at] == '\r' && at + 1 < data.length && data[at + 1] == '\n' ? 2 : 1;
        }
        return at;
    }

    /** Whether the candidate is a delimiter of a multipart with this boundary (lower case), opening or closing. */
    boolean names(int index, String boundary) {
        return matches(index, boundary, textEnd(index))
                || (endsInDashes(index) && matches(index, boundary, textEnd(index) - 2));
    }

    private boolean matches(int index, String boundary, int end) {
        int at = starts[index] + 2;
        return end - at == boundary.length() && Ascii.startsWithIgnoreCase(data, at, end, boundary);
    }

    /** Notes a delimiter that a multipart with this boundary found, and returns whether it closes the multipart. */
    boolean take(int index, String boundary) {
        if (matches(index, boundary, textEnd(index))) {
            opening.set(index);
        }
        return isClosing(index);
    }

    /** Whether the candidate closes a multipart, if it belongs to one. */
    boolean isClosing(int index) {
        return endsInDashes(index) && !opening.get(index);
    }

    /** Whether the text ends in two dashes and has something before them. */
    private boolean endsInDashes(int index) {
        int end = textEnd(index);
        return end - starts[index] > 4 && data[end - 1] == '-' && data[end - 2] == '-';
    }

    /** Returns the text of the candidate in lower case, without closing dashes. */
    String text(int index) {
        int end = textEnd(index) - (endsInDashes(index) ? 2 : 0);
        return Ascii.lower(Ascii.text(data, starts[index] + 2, end));
    }
}
