package dev.weir.config.ucl;

/**
 * The character classes of the language (docs/reference/configuration-language.md#characters). {@link #END} marks the
 * end of the text.
 */
final class Chars {
    /** The pseudo-character past the end of the text. */
    static final int END = -1;

    private Chars() {}

    static boolean isBlank(int c) {
        return c == ' ' || c == '\t';
    }

    static boolean isSpace(int c) {
        return c == ' ' || (c >= '\t' && c <= '\r');
    }

    /** Returns whether the character ends a bare value. */
    static boolean endsValue(int c) {
        return switch (c) {
            case END, 0, '\n', '\r', '#', ',', ';', ']', '}' -> true;
            default -> false;
        };
    }

    /** Returns whether the character separates members or items. */
    static boolean isSeparator(int c) {
        return switch (c) {
            case 0, '\n', '\r', ',', ';' -> true;
            default -> false;
        };
    }

    static boolean startsKey(int c) {
        return c == '/' || c == '_' || isDigit(c) || isLetter(c) || c >= 0x80;
    }

    static boolean inKey(int c) {
        return startsKey(c) || c == '-' || c == '.';
    }

    static boolean endsKey(int c) {
        return isBlank(c) || c == ':' || c == '=';
    }

    static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    static boolean isLetter(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    /** Returns the character as messages show it. */
    static String show(int c) {
        if (c == END) {
            return "the end of the file";
        }
        if (c == '\n' || c == '\r') {
            return "the end of the line";
        }
        return c < 0x20 || c == 0x7f || Character.isSurrogate((char) c)
                ? "the character 0x%02x".formatted(c)
                : "'" + (char) c + "'";
    }
}
