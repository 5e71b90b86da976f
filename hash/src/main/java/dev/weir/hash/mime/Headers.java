package dev.weir.hash.mime;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The header fields of a mail or of a part, in order. Folding and odd lines are treated as the reference does
 * (specification 1.2, 1.3); one pass over the bytes.
 */
final class Headers {
    /** No header at all. */
    static final Headers NONE = new Headers(List.of());
    /** More fields than any mail has; the rest of a hostile header block is ignored. */
    private static final int MAXIMUM = 20_000;

    private final List<Header> fields;

    private Headers(List<Header> fields) {
        this.fields = List.copyOf(fields);
    }

    /** Value of the first field with this (lower-case) name. */
    @Nullable
    String first(String name) {
        for (Header field : fields) {
            if (field.name().equals(name)) {
                return field.value();
            }
        }
        return null;
    }

    /** Values of all fields with this (lower-case) name. */
    List<String> all(String name) {
        List<String> values = new ArrayList<>();
        for (Header field : fields) {
            if (field.name().equals(name)) {
                values.add(field.value());
            }
        }
        return values;
    }

    boolean has(String name) {
        return first(name) != null;
    }

    boolean isEmpty() {
        return fields.isEmpty();
    }

    /**
     * Position after the empty line that ends the headers starting at {@code from}, or -1 if there is none: after LF LF,
     * CR LF CR LF, LF CR LF, or CR CR without LF.
     */
    static int endOfHeaders(byte[] data, int from, int to) {
        for (int i = from; i < to; i++) {
            byte b = data[i];
            if (b == '\n') {
                if (i + 1 < to && data[i + 1] == '\n') {
                    return i + 2;
                }
                if (i + 2 < to && data[i + 1] == '\r' && data[i + 2] == '\n') {
                    return i + 3;
                }
            } else if (b == '\r' && i + 1 < to && data[i + 1] == '\r' && !(i + 2 < to && data[i + 2] == '\n')) {
                return i + 2;
            }
        }
        return -1;
    }

    /** Reads the fields between {@code from} and {@code to}. */
    static Headers read(byte[] data, int from, int to) {
        List<Header> fields = new ArrayList<>();
        int at = from;
        while (at < to && fields.size() < MAXIMUM) {
            int end = endOfField(data, at, to);
            int colon = colon(data, at, end);
            if (colon > at) {
                fields.add(new Header(Ascii.lower(Ascii.text(data, at, colon)), unfold(data, colon + 1, end)));
            }
            at = end;
            while (at < to && Ascii.isBreak(data[at])) {
                at++;
            }
        }
        return fields.isEmpty() ? NONE : new Headers(fields);
    }

    /** The line break that ends the field starting at {@code at}: one that no white space follows. */
    private static int endOfField(byte[] data, int at, int to) {
        for (int i = at; i < to; i++) {
            if (Ascii.isBreak(data[i])) {
                int next = i;
                while (next < to && Ascii.isBreak(data[next])) {
                    next++;
                }
                if (next >= to || (data[next] != ' ' && data[next] != '\t')) {
                    return i;
                }
                i = next;
            }
        }
        return to;
    }

    /** The colon that ends the name, or -1 if white space comes first. */
    private static int colon(byte[] data, int from, int to) {
        for (int i = from; i < to; i++) {
            if (data[i] == ':') {
                return i;
            }
            if (Ascii.isSpace(data[i])) {
                return -1;
            }
        }
        return -1;
    }

    private static String unfold(byte[] data, int from, int to) {
        int start = skipSpace(data, from, to);
        for (int i = start; i < to; i++) {
            if (data[i] == 0 || Ascii.isBreak(data[i])) {
                return unfoldLines(data, start, to);
            }
        }
        return Ascii.text(data, start, to);
    }

    private static String unfoldLines(byte[] data, int from, int to) {
        byte[] out = new byte[to - from];
        int length = 0;
        int i = from;
        while (i < to) {
            byte b = data[i];
            if (Ascii.isBreak(b)) {
                i = skipSpace(data, i, to);
                if (i < to) {
                    out[length++] = ' ';
                }
                continue;
            }
            if (b != 0) {
                out[length++] = b;
            }
            i++;
        }
        return Ascii.text(out, 0, length);
    }

    private static int skipSpace(byte[] data, int from, int to) {
        int at = from;
        while (at < to && Ascii.isSpace(data[at])) {
            at++;
        }
        return at;
    }
}
