package dev.weir.hash.bytes;

import java.nio.charset.StandardCharsets;

/** Classification, comparison and case conversion of bytes as ASCII, independent of charset and locale. */
public final class Ascii {
    private static final int VERTICAL_TAB = 0x0b;

    private static final byte[] HEX = new byte[0x80];

    static {
        for (int b = 0; b < HEX.length; b++) {
            HEX[b] = (byte) Character.digit(b, 16);
        }
    }

    private Ascii() {}

    /** Whether {@code b} is space, tab, LF, VT, FF or CR. */
    public static boolean isSpace(int b) {
        return b == ' ' || (b >= '\t' && b <= '\r');
    }

    /** Whether {@code b} is white space in HTML: space, tab, LF, FF or CR, but not VT. */
    public static boolean isHtmlSpace(int b) {
        return isSpace(b) && b != VERTICAL_TAB;
    }

    /** Whether {@code b} is CR or LF. */
    public static boolean isBreak(int b) {
        return b == '\r' || b == '\n';
    }

    /** Whether {@code b} is one of 0-9. */
    public static boolean isDigit(int b) {
        return b >= '0' && b <= '9';
    }

    /** Whether {@code b} is one of A-Z or a-z. */
    public static boolean isLetter(int b) {
        return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z');
    }

    /** Whether {@code b} is a digit or a letter. */
    public static boolean isAlphanumeric(int b) {
        return isDigit(b) || isLetter(b);
    }

    /** Converts A-Z to lower case and leaves any other value unchanged. */
    public static int lower(int b) {
        return b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b;
    }

    /** Converts A-Z to lower case in place. */
    public static void lower(byte[] text) {
        for (int i = 0; i < text.length; i++) {
            text[i] = (byte) lower(text[i]);
        }
    }

    /** Converts A-Z to lower case and leaves other characters unchanged. */
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

    /** Returns the value of a hexadecimal digit in either case, or -1. */
    public static int hex(int b) {
        return b >= 0 && b < HEX.length ? HEX[b] : -1;
    }

    /** Returns the bytes as a string of the same length, one character per byte. */
    public static String text(byte[] data, int from, int to) {
        return new String(data, from, to - from, StandardCharsets.ISO_8859_1);
    }

    /** Reverses {@link #text}. */
    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Whether the text at {@code at} starts with {@code word}, ignoring case; {@code word} is in lower case. */
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

    /** Whether any byte is outside ASCII. */
    public static boolean hasHighBytes(byte[] data) {
        return ByteSearch.indexOfHigh(data, 0, data.length) < data.length;
    }

    /** Whether a string has only ASCII characters. */
    public static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }
}
