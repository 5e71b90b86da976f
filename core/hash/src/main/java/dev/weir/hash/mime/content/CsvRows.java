package dev.weir.hash.mime.content;

import dev.weir.hash.bytes.Ascii;

/**
 * A count of the lines that look like rows of comma-separated values: at the end of the line, at least three words
 * separated by commas. White space may stand before a comma, and spaces before the end of the line. One pass over the
 * bytes, where a regular expression would begin again at each word.
 */
final class CsvRows {
    private static final int FEWEST_COMMAS = 2;

    /** What precedes the current byte. */
    private enum After {
        /** Nothing that belongs to a row. */
        OTHER,
        WORD,
        /** Spaces after a word. */
        SPACES,
        /** White space after a word that is not only spaces. */
        WHITE_SPACE,
        COMMA,
        COMMA_AND_SPACES
    }

    private After after = After.OTHER;
    private int commas;
    private int rows;

    private CsvRows() {}

    /** Counts the rows in the first {@code to} bytes. */
    static int count(byte[] data, int to) {
        CsvRows rows = new CsvRows();
        for (int i = 0; i < to; i++) {
            rows.take(data[i]);
        }
        return rows.rows;
    }

    private void take(byte b) {
        if (Ascii.isAlphanumeric(b) || b == '-' || b == '_') {
            if (after != After.WORD && after != After.COMMA) {
                commas = 0;
            }
            after = After.WORD;
        } else if (b == ',') {
            boolean separates = after == After.WORD || after == After.SPACES || after == After.WHITE_SPACE;
            commas = separates ? commas + 1 : 0;
            after = separates ? After.COMMA : After.OTHER;
        } else if (b == '\n' || b == '\r') {
            rows += endsRow() ? 1 : 0;
            space(After.WHITE_SPACE, After.OTHER);
        } else if (b == ' ') {
            space(after == After.WHITE_SPACE ? After.WHITE_SPACE : After.SPACES, After.COMMA_AND_SPACES);
        } else if (Ascii.isSpace(b)) {
            space(After.WHITE_SPACE, After.OTHER);
        } else {
            after = After.OTHER;
        }
    }

    private boolean endsRow() {
        return switch (after) {
            case WORD, SPACES -> commas >= FEWEST_COMMAS;
            // The last comma ends the row instead of separating two words.
            case COMMA, COMMA_AND_SPACES -> commas > FEWEST_COMMAS;
            case OTHER, WHITE_SPACE -> false;
        };
    }

    private void space(After word, After comma) {
        after = switch (after) {
            case WORD, SPACES, WHITE_SPACE -> word;
            case COMMA, COMMA_AND_SPACES -> comma;
            case OTHER -> After.OTHER;
        };
    }
}
