package dev.weir.hash.mime.header;

import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.bytes.ByteSearch;

/**
 * The search for the empty line that ends the headers of a mail or a part (docs/reference/hashing.md#headers). A line
 * of white space is no empty line, unless the data ends with it.
 */
public final class HeaderEnd {
    private static final int NONE = -1;

    private final byte[] data;
    private final int to;

    private HeaderEnd(byte[] data, int to) {
        this.data = data;
        this.to = to;
    }

    /** Returns the position after the empty line between {@code from} and {@code to}, or -1 if there is none. */
    public static int find(byte[] data, int from, int to) {
        return new HeaderEnd(data, to).find(from);
    }

    private int find(int from) {
        int at = from;
        while (true) {
            at = ByteSearch.indexOfEither(data, at, to, '\r', '\n');
            if (at >= to) {
                return NONE;
            }
            boolean feed = isFeed(at);
            if (!feed && isReturn(at + 1)) {
                return isFeed(at + 2) ? at + 3 : at + 2;
            }
            boolean both = !feed && isFeed(at + 1);
            at += both ? 2 : 1;
            if (feed || both) {
                int end = afterReturns(at);
                if (isFeed(end)) {
                    return end + 1;
                }
                at = end;
            }
            if (at < to && Ascii.isSpace(data[at])) {
                int blank = blankLine(at + 1);
                if (blank < 0) {
                    return ~blank;
                }
                at = blank;
            }
        }
    }

    /**
     * Reads on after the first character of a line that is white space.
     *
     * @return the position from which to search on: that of a line break, or the first one after the line and the
     * character behind its white space; or the complement of the position at which the headers end
     */
    private int blankLine(int from) {
        int at = from;
        while (at < to) {
            byte b = data[at];
            boolean last = to - at == 1;
            if (b == '\r') {
                if (to - at <= 2) {
                    return ~(at + 1);
                }
                if (isFeed(at + 1) && Ascii.isSpace(data[at + 2])) {
                    return at + 1;
                }
                if (!Ascii.isSpace(data[at + 1])) {
                    return at + 1;
                }
            } else if (b == '\n') {
                if (last) {
                    return ~(at + 1);
                }
                if (data[at + 1] != ' ' && data[at + 1] != '\t') {
                    return at;
                }
            } else if (b != ' ' && b != '\t') {
                return at + 1;
            }
            at++;
        }
        return to;
    }

    private int afterReturns(int from) {
        int at = from;
        while (isReturn(at)) {
            at++;
        }
        return at;
    }

    private boolean isFeed(int at) {
        return at < to && data[at] == '\n';
    }

    private boolean isReturn(int at) {
        return at < to && data[at] == '\r';
    }
}
