package dev.weir.hash.mime.charset;

import java.util.HashMap;
import java.util.Map;

import dev.weir.hash.table.TextTable;
import org.jspecify.annotations.Nullable;

/**
 * The charset of text with a single byte beyond ASCII, such as one registered sign in an English text. Statistical
 * detectors have nothing to count in it, so this class knows Rspamd's answers. They depend only on the byte and on the
 * one that follows.
 */
final class SingleByteGuess {
    private static final int FIRST_BYTE = 0x80;
    private static final int FIRST_PRINTABLE = 0x20;
    /** Columns of tab, line feed and carriage return. */
    private static final String BREAKS = "\t\n\r";

    private static final Map<Character, String> NAMES = new HashMap<>();
    private static final String[] ROWS = new String[128];

    static {
        for (String[] row : TextTable.rows(SingleByteGuess.class, "single-bytes.txt", " ")) {
            if (row[0].length() == 1) {
                NAMES.put(row[0].charAt(0), row[1]);
            } else {
                ROWS[Integer.parseInt(row[0], 16) - FIRST_BYTE] = row[1];
            }
        }
    }

    private SingleByteGuess() {}

    /** Returns the name of the charset; null if there are more bytes beyond ASCII, or if the charset is not known. */
    static @Nullable String guess(byte[] data) {
        int at = -1;
        for (int i = 0; i < data.length; i++) {
            if (data[i] < 0) {
                if (at >= 0) {
                    return null;
                }
                at = i;
            }
        }
        if (at < 0 || at + 1 == data.length) {
            return null;
        }
        byte next = data[at + 1];
        int column = next >= FIRST_PRINTABLE ? next - FIRST_PRINTABLE + BREAKS.length() : BREAKS.indexOf(next);
        String row = ROWS[(data[at] & 0xff) - FIRST_BYTE];
        return column < 0 || column >= row.length() ? null : NAMES.get(row.charAt(column));
    }
}
