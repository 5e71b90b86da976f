package dev.weir.model;

/**
 * Text of strangers in a form that is safe on a terminal and in a line of a log: what a mail, a client or a name in a
 * request contains. Such text could otherwise start another line, move the cursor, turn the order of the characters
 * around it (U+202E), or hide characters between visible ones.
 */
public final class SafeText {
    /** Stands for each character that is not shown. */
    public static final char REPLACEMENT = '\ufffd';

    /**
     * Ranges of characters that show nothing, beside those of the categories in {@link #isShown}: the rest of Unicode's
     * Default_Ignorable_Code_Point.
     */
    private static final int[] INVISIBLE = {0x034f, 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180f, 0x2065,
        0x2065, 0x3164, 0x3164, 0xfe00, 0xfe0f, 0xffa0, 0xffa0, 0xfff0, 0xfff8, 0xe0000, 0xe0fff};

    private SafeText() {}

    /** Returns a text in one line, in which {@link #REPLACEMENT} stands for each unsafe character. */
    public static String of(String text) {
        int safe = 0;
        while (safe < text.length() && text.charAt(safe) >= ' ' && text.charAt(safe) <= '~') {
            safe++;
        }
        if (safe == text.length()) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length()).append(text, 0, safe);
        text.codePoints().skip(safe).forEach(point -> {
            if (isShown(point)) {
                out.appendCodePoint(point);
            } else {
                out.append(REPLACEMENT);
            }
        });
        return out.toString();
    }

    /** Returns a text of several lines, of which line feeds and tabs stay and everything else is as in {@link #of}. */
    public static String ofLines(String text) {
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints().forEach(point -> {
            if (point == '\n' || point == '\t' || isShown(point)) {
                out.appendCodePoint(point);
            } else {
                out.append(REPLACEMENT);
            }
        });
        return out.toString();
    }

    /** Returns whether a character is visible or a space, and leaves the order of the others alone. */
    public static boolean isShown(int point) {
        boolean safe = switch (Character.getType(point)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE ->
                false;
            default -> true;
        };
        if (!safe || point < INVISIBLE[0]) {
            return safe;
        }
        for (int i = 0; i < INVISIBLE.length; i += 2) {
            if (point >= INVISIBLE[i] && point <= INVISIBLE[i + 1]) {
                return false;
            }
        }
        return true;
    }
}
