package dev.weir.hash.html;

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

    /** Lower case for A-Z only, in place. */
    static void toLower(byte[] text) {
        for (int i = 0; i < text.length; i++) {
            text[i] = toLower(text[i]);
        }
    }
}
