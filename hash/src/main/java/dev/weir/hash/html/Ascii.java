package dev.weir.hash.html;

import java.util.Locale;

/** Properties of ASCII bytes, independent of any locale. */
final class Ascii {
    private Ascii() {}

    /** TAB, LF, FF, CR or space; not VT. */
    static boolean isSpace(int b) {
        return b == ' ' || b == '\t' || b == '\n' || b == '\f' || b == '\r';
    }

    static boolean isLetter(int b) {
        int lower = b | 0x20;
        return lower >= 'a' && lower <= 'z';
    }

    static boolean isDigit(int b) {
        return b >= '0' && b <= '9';
    }

    static byte toLower(byte b) {
        return b >= 'A' && b <= 'Z' ? (byte) (b + 32) : b;
    }

    /** Lower case for A-Z only. */
    static String toLower(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 'A' && c <= 'Z') {
                if (text.chars().allMatch(x -> x < 0x80)) {
                    return text.toLowerCase(Locale.ROOT);
                }
                StringBuilder lower = new StringBuilder(text.length());
                text.chars().forEach(x -> lower.append(x >= 'A' && x <= 'Z' ? (char) (x + 32) : (char) x));
                return lower.toString();
            }
        }
        return text;
    }
}
