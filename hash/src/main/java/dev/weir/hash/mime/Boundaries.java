package dev.weir.hash.mime;

import java.util.Arrays;

/**
 * All lines of a buffer that start with two dashes, each a possible multipart delimiter (specification 1.4). Found in one
 * pass; every container then looks only at the candidates inside itself.
 */
final class Boundaries {
    private static final int MAXIMUM = 100_000;

    private final byte[] data;
    /** Position of the first dash of each candidate, ascending. */
    private int[] starts = new int[16];
    private int count;

    Boundaries(byte[] data, int from) {
        this.data = data;
        for (int i = from; i + 1 < data.length && count < MAXIMUM; i++) {
            if (data[i] == '-' && data[i + 1] == '-' && (i == from || Ascii.isBreak(data[i - 1]))) {
                if (count == starts.length) {
                    starts = Arrays.copyOf(starts, count * 2);
                }
                starts[count++] = i;
            }
        }
    }

    /** Index of the first candidate at or after a position; {@link #count()} if there is none. */
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
