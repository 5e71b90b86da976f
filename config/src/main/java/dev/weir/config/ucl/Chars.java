package dev.weir.config.ucl;

/**
 * The classes of characters that the language is made of (docs/reference/configuration-language.md#characters). The end
 * of the text is {@link #END}.
 */
final class Chars {
    /** Stands for the character past the end. */
    static final int END = -1;

    private Chars() {}

    static boolean isBlank(int c) {
        return c == ' ' || c == '\t';
    }

    static boolean isSpace(int c) {
        return c == ' ' || (c >= '\t' && c <= '\r');
    }

    /** Ends a bare value. */
    static boolean endsValue(int c) {
        return switch (c) {
            case END, 0, '\n', '\r', '#', ',', ';', ']', '}' -> true;
            default -> false;
        };
    }

    /** Stands between members or items. */
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

    /** The character as a message shows it. */
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
