package dev.weir.hash.mime;

import java.nio.charset.StandardCharsets;

import dev.weir.hash.bytes.ByteSearch;

/** Byte classes and searches that know nothing of charsets or locales. */
final class Ascii {
    private Ascii() {}

    /** Space, tab, LF, VT, FF, CR. */
    static boolean isSpace(int b) {
        return b == ' ' || (b >= '\t' && b <= '\r');
    }

    static boolean isBreak(int b) {
        return b == '\r' || b == '\n';
    }

    static boolean isDigit(int b) {
        return b >= '0' && b <= '9';
    }

    static boolean isLetter(int b) {
        return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z');
    }

    static boolean isAlphanumeric(int b) {
        return isDigit(b) || isLetter(b);
    }

    static int lower(int b) {
        return b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b;
    }

    /** ASCII lower case; other characters stay. */
    static String lower(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (lower(c) != c) {
                char[] chars = text.toCharArray();
                for (; i < chars.length; i++) {
                    chars[i] = (char) lower(chars[i]);
                }
                return new String(chars);
            }
        }
        return text;
    }

    /** Value of a hexadecimal digit of either case, or -1. */
    static int hex(int b) {
        if (isDigit(b)) {
            return b - '0';
        }
        int low = lower(b);
        return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
    }

    /** Bytes as a string of the same length, one character a byte. */
    static String text(byte[] data, int from, int to) {
        return new String(data, from, to - from, StandardCharsets.ISO_8859_1);
    }

    /** Inverse of {@link #text}. */
    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Whether {@code word} (lower case) stands at {@code at}, in any letter case. */
    static boolean startsWithIgnoreCase(byte[] data, int at, int to, String word) {
        if (at < 0 || to - at < word.length()) {
            return false;
        }
        for (int i = 0; i < word.length(); i++) {
            if (lower(data[at + i]) != word.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    static boolean hasHighBytes(byte[] data) {
        return ByteSearch.indexOfHigh(data, 0, data.length) < data.length;
    }
}
