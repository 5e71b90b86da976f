package dev.weir.hash.bytes;

import java.nio.charset.StandardCharsets;

/** Byte classes and searches that know nothing of charsets or locales. */
public final class Ascii {
    private static final int VERTICAL_TAB = 0x0b;

    private Ascii() {}

    /** Space, tab, LF, VT, FF, CR. */
    public static boolean isSpace(int b) {
        return b == ' ' || (b >= '\t' && b <= '\r');
    }

    /** Space, tab, LF, FF, CR: what HTML calls white space, which is not VT. */
    public static boolean isHtmlSpace(int b) {
        return isSpace(b) && b != VERTICAL_TAB;
    }

    /** CR or LF. */
    public static boolean isBreak(int b) {
        return b == '\r' || b == '\n';
    }

    /** 0-9. */
    public static boolean isDigit(int b) {
        return b >= '0' && b <= '9';
    }

    /** A-Z, a-z. */
    public static boolean isLetter(int b) {
        return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z');
    }

    /** A digit or a letter. */
    public static boolean isAlphanumeric(int b) {
        return isDigit(b) || isLetter(b);
    }

    /** Lower case of A-Z; any other value unchanged. */
    public static int lower(int b) {
        return b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b;
    }

    /** Lower case of A-Z in place. */
    public static void lower(byte[] text) {
        for (int i = 0; i < text.length; i++) {
            text[i] = (byte) lower(text[i]);
        }
    }

    /** Lower case of A-Z; other characters stay. */
    public static String lower(String text) {
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
    public static int hex(int b) {
        if (isDigit(b)) {
            return b - '0';
        }
        int low = lower(b);
        return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
    }

    /** Bytes as a string of the same length, one character a byte. */
    public static String text(byte[] data, int from, int to) {
        return new String(data, from, to - from, StandardCharsets.ISO_8859_1);
    }

    /** Inverse of {@link #text}. */
    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Whether {@code word} (lower case) stands at {@code at}, in any letter case. */
    public static boolean startsWithIgnoreCase(byte[] data, int at, int to, String word) {
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

    /** Whether a byte is beyond ASCII. */
    public static boolean hasHighBytes(byte[] data) {
        return ByteSearch.indexOfHigh(data, 0, data.length) < data.length;
    }
}
