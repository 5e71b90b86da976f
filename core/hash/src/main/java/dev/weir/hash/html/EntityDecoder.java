package dev.weir.hash.html;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.bytes.ByteSearch;
import org.jspecify.annotations.Nullable;

/**
 * A decoder for character references (docs/reference/hashing.md#html) that can also collapse white space. It does not
 * collapse white space that comes from a reference, except at the end of the text. Linear time.
 */
final class EntityDecoder {
    private static final int LONGEST_PREFIX = 5;
    private static final int SHORTEST_PREFIX = 2;

    private final byte[] source;
    private final int end;
    private final TextBuffer out;
    private final int from;
    private final int outStart;

    private EntityDecoder(byte[] source, int from, int end, TextBuffer out, int outStart) {
        this.source = source;
        this.from = from;
        this.end = end;
        this.out = out;
        this.outStart = outStart;
    }

    /** Returns the bytes in [from, to) with references decoded and everything else unchanged. */
    static byte[] decode(byte[] source, int from, int to) {
        if (ByteSearch.indexOf(source, from, to, '&') == to) {
            return Arrays.copyOfRange(source, from, to);
        }
        TextBuffer decoded = new TextBuffer(to - from + 1);
        decode(source, from, to, decoded);
        return decoded.toBytes();
    }

    /** Appends the bytes in [from, to) with references decoded and everything else unchanged. */
    static void decode(byte[] source, int from, int to, TextBuffer out) {
        new EntityDecoder(source, from, to, out, out.length()).run(from, false);
    }

    /**
     * Decodes like {@link #decode} and collapses white space: leading white space disappears, every other run becomes
     * one space. At the end, this includes decoded spaces: two no-break spaces after a word become one space.
     */
    static void decodeFolding(byte[] source, int from, int to, TextBuffer out) {
        int start = from;
        while (start < to && Ascii.isHtmlSpace(source[start])) {
            start++;
        }
        int before = out.length();
        // Most text needs no decoder.
        int plainEnd = plainEnd(source, start, to);
        out.append(source, start, plainEnd);
        if (plainEnd < to) {
            new EntityDecoder(source, from, to, out, before).run(plainEnd, true);
        }
        int length = out.length();
        while (length > before && Ascii.isHtmlSpace(out.at(length - 1))) {
            length--;
        }
        if (length < out.length()) {
            out.truncate(length);
            out.append(' ');
        }
    }

    private void run(int start, boolean fold) {
        int i = start;
        while (i < end) {
            int plainEnd = fold ? plainEnd(source, i, end) : ByteSearch.indexOf(source, i, end, '&');
            out.append(source, i, plainEnd);
            i = plainEnd;
            if (i < end && source[i] == '&') {
                i = reference(i);
            } else if (i < end) {
                out.append(' ');
                while (i < end && Ascii.isHtmlSpace(source[i])) {
                    i++;
                }
            }
        }
    }

    /** Returns the end of the range that needs no change; a single space between two words needs none. */
    private static int plainEnd(byte[] source, int from, int end) {
        for (int i = from; i < end; i++) {
            byte b = source[i];
            // Nothing above an ampersand or outside ASCII needs a look.
            if (b >= 0 && b <= '&' && (b == '&' || (Ascii.isHtmlSpace(b)
                    && (b != ' ' || (i + 1 < end && Ascii.isHtmlSpace(source[i + 1])))))) {
                return i;
            }
        }
        return end;
    }

    /**
     * Processes the reference at {@code start}.
     *
     * @return position at which the text continues
     */
    private int reference(int start) {
        if (start + 1 < end && source[start + 1] == '#') {
            return numeric(start);
        }
        int i = start + 1;
        while (i < end && !endsName(source[i])) {
            i++;
        }
        if (i < end && source[i] == '&') {
            out.append(source, start, i);
            return i;
        }
        named(start, i);
        // An unknown name loses its semicolon. A name with a known prefix keeps it; see named().
        return i < end && source[i] == ';' ? i + 1 : i;
    }

    private static boolean endsName(byte b) {
        return b == ';' || b == '&' || Ascii.isHtmlSpace(b);
    }

    private void named(int start, int to) {
        int from = start + 1;
        byte[] known = to - from <= EntityTable.MAX_NAME ? EntityTable.byName(name(from, to)) : null;
        if (known != null) {
            out.append(known);
            return;
        }
        for (int length = Math.min(LONGEST_PREFIX, to - from); length >= SHORTEST_PREFIX; length--) {
            byte[] text = EntityTable.byPrefix(name(from, from + length));
            if (text != null) {
                out.append(text);
                out.append(source, from + length, to);
                if (to < end && source[to] == ';') {
                    out.append(';');
                }
                return;
            }
        }
        unknown(start, to);
    }

    /**
     * Keeps an unknown reference as written. Rspamd decodes in place. If an unknown name ends the text and the text
     * before it shrank by at least the length of the name, the result contains the name twice.
     */
    private void unknown(int start, int to) {
        int shrunk = start - from - (out.length() - outStart);
        out.append(source, start, to);
        if (to == end && to - start > 1 && shrunk >= to - start) {
            out.append(source, start, to);
        }
    }

    private int numeric(int start) {
        int i = start + 2;
        if (i == end) {
            out.append(source, start, i);
            return i;
        }
        int radix = switch (source[i] | 0x20) {
            case 'x' -> 16;
            case 'o' -> 8;
            default -> 10;
        };
        if (radix != 10) {
            i++;
        }
        int digits = i;
        // The value wraps around and is unsigned, as in Rspamd: code 2^64 + 65 is an A.
        long code = 0;
        while (i < end && Character.digit(source[i], radix) >= 0) {
            code = code * radix + Character.digit(source[i], radix);
            i++;
        }
        if (i < end && source[i] == '&') {
            out.append(source, start, i);
            return i;
        }
        boolean terminated = i == end || source[i] == ';' || Ascii.isHtmlSpace(source[i]);
        if (!terminated && (i == digits || (radix == 8 && Ascii.isDigit(source[i])))) {
            return noNumber(start, i);
        }
        if (i > digits || radix != 10) {
            appendCode(code);
        }
        return i < end && source[i] == ';' ? i + 1 : i;
    }

    /** Keeps a malformed number without its semicolon. */
    private int noNumber(int start, int from) {
        int i = from;
        while (i < end && !endsName(source[i])) {
            i++;
        }
        out.append(source, start, i);
        return i < end && source[i] == ';' ? i + 1 : i;
    }

    private void appendCode(long code) {
        byte @Nullable [] other = EntityTable.byCode(code);
        if (other != null) {
            out.append(other);
        } else {
            out.appendCodePoint(code);
        }
    }

    private String name(int from, int to) {
        return new String(source, from, to - from, StandardCharsets.ISO_8859_1);
    }
}
