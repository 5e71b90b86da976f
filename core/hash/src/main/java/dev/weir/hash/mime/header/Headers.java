package dev.weir.hash.mime.header;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.bytes.ByteSearch;
import org.jspecify.annotations.Nullable;

/**
 * The header fields of a mail or a part, in order. Folded and malformed lines are read as Rspamd reads them
 * (docs/reference/hashing.md#headers), in one pass over the bytes. The reader stores only positions and builds a value
 * on request, because few fields of a mail are ever used.
 */
public final class Headers {
    /** An empty header. */
    public static final Headers NONE = new Headers(new byte[0]);
    /** Maximum number of fields, above that of any real mail. Further fields are ignored. */
    private static final int MAXIMUM = 20_000;
    /** Numbers stored per field: start, colon and end. */
    private static final int PLACES = 3;

    private final byte[] data;
    private int[] places = {};
    private int count;

    private Headers(byte[] data) {
        this.data = data;
    }

    /**
     * Returns the unfolded value of the first field with this lower-case name, one character per byte, without leading
     * white space; null if there is none.
     */
    public @Nullable String first(String name) {
        int index = next(name, 0);
        return index < count ? value(index) : null;
    }

    /** Returns the values of all fields with this lower-case name. */
    public List<String> all(String name) {
        List<String> values = new ArrayList<>(1);
        for (int index = next(name, 0); index < count; index = next(name, index + 1)) {
            values.add(value(index));
        }
        return values;
    }

    public boolean has(String name) {
        return next(name, 0) < count;
    }

    /**
     * Returns the index of the first field with this name at or after {@code from}, or the number of fields if there is
     * none.
     */
    private int next(String name, int from) {
        int index = from;
        while (index < count && !isNamed(index, name)) {
            index++;
        }
        return index;
    }

    private boolean isNamed(int index, String name) {
        int start = places[PLACES * index];
        int colon = places[PLACES * index + 1];
        return colon - start == name.length() && Ascii.startsWithIgnoreCase(data, start, colon, name);
    }

    private String value(int index) {
        return unfold(data, places[PLACES * index + 1] + 1, places[PLACES * index + 2]);
    }

    private void add(int start, int colon, int end) {
        int at = PLACES * count;
        if (at == places.length) {
            places = Arrays.copyOf(places, Math.max(16 * PLACES, 2 * at));
        }
        places[at] = start;
        places[at + 1] = colon;
        places[at + 2] = end;
        count++;
    }

    /** Reads the fields between {@code from} and {@code to}. */
    public static Headers read(byte[] data, int from, int to) {
        Headers headers = new Headers(data);
        int at = from;
        while (at < to && headers.count < MAXIMUM) {
            int end = endOfField(data, at, to);
            int colon = colon(data, at, end);
            if (colon > at) {
                headers.add(at, colon, end);
            }
            at = end;
            while (at < to && Ascii.isBreak(data[at])) {
                at++;
            }
        }
        return headers;
    }

    /**
     * Returns the position of the line break that ends the field at {@code at}: the first one without white space after
     * it.
     */
    private static int endOfField(byte[] data, int at, int to) {
        int i = nextBreak(data, at, to);
        while (i < to) {
            int next = i;
            while (next < to && Ascii.isBreak(data[next])) {
                next++;
            }
            if (next >= to || (data[next] != ' ' && data[next] != '\t')) {
                return i;
            }
            i = nextBreak(data, next, to);
        }
        return to;
    }

    private static int nextBreak(byte[] data, int from, int to) {
        return ByteSearch.indexOfEither(data, from, to, '\r', '\n');
    }

    /** Returns the position of the colon that ends the name, or -1 if white space comes first. */
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
