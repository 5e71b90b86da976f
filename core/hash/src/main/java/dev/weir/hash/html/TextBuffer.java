package dev.weir.hash.html;

import java.util.Arrays;

import com.ibm.icu.lang.UCharacter;
import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.bytes.Utf8;

/** A growing byte array whose end can be examined and truncated. */
final class TextBuffer {
    private static final byte[] REPLACEMENT = {(byte) 0xef, (byte) 0xbf, (byte) 0xbd};

    private byte[] bytes;
    private int length;

    TextBuffer(int capacity) {
        bytes = new byte[capacity];
    }

    int length() {
        return length;
    }

    byte at(int index) {
        return bytes[index];
    }

    void append(int b) {
        ensure(1);
        bytes[length++] = (byte) b;
    }

    void append(byte[] source, int from, int to) {
        ensure(to - from);
        System.arraycopy(source, from, bytes, length, to - from);
        length += to - from;
    }

    void append(byte[] source) {
        append(source, 0, source.length);
    }

    /** Appends bytes like {@link #append(byte[], int, int)}, but replaces every NUL by U+FFFD. */
    void appendWithoutNul(byte[] source, int from, int to) {
        int start = from;
        for (int i = from; i < to; i++) {
            if (source[i] == 0) {
                append(source, start, i);
                append(REPLACEMENT);
                start = i + 1;
            }
        }
        append(source, start, to);
    }

    /** Appends a Unicode character as UTF-8; an invalid code point or NUL becomes U+FFFD. */
    void appendCodePoint(long code) {
        if (code <= 0 || code > Character.MAX_CODE_POINT || (code >= 0xd800 && code <= 0xdfff)) {
            append(REPLACEMENT);
        } else if (code < 0x80) {
            append((int) code);
        } else {
            append(Character.toString((int) code).getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }
    }

    void truncate(int to) {
        length = to;
    }

    boolean endsWithSpace() {
        return length > 0 && Ascii.isHtmlSpace(bytes[length - 1]);
    }

    /** Returns the length of the white space or zero-width character that starts at {@code at}; 0 if it is another. */
    int blankAt(int at) {
        int size = Utf8.sequence(bytes, at, length);
        return size > 0 && isBlank(Utf8.codePoint(bytes, at, size)) ? size : 0;
    }

    /** Returns the length of the white space or zero-width character that ends at {@code end}; 0 if it is another. */
    int blankBefore(int end) {
        int start = end - 1;
        while (start > 0 && end - start < 3 && (bytes[start] & 0xc0) == 0x80) {
            start--;
        }
        int size = Utf8.sequence(bytes, start, end);
        return size == end - start && isBlank(Utf8.codePoint(bytes, start, size)) ? size : 0;
    }

    private static boolean isBlank(int c) {
        return c <= ' '
                ? c == ' ' || (c >= '\t' && c <= '\r')
                : c >= 0x80 && (UCharacter.isUWhiteSpace(c)
                        || (c >= 0x200b && c <= 0x200d) || c == 0xfeff || c == 0xad);
    }

    /** Replaces every byte at or after {@code from} that is not white space by a space. */
    void blank(int from) {
        for (int i = from; i < length; i++) {
            if (!Ascii.isHtmlSpace(bytes[i])) {
                bytes[i] = ' ';
            }
        }
    }

    byte[] slice(int from, int to) {
        return Arrays.copyOfRange(bytes, from, to);
    }

    byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    private void ensure(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(length + more, bytes.length * 2));
        }
    }
}
