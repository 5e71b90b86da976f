package dev.weir.hash.mime.charset;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The charset of text with a single byte beyond ASCII, such as one registered sign in an English text. Statistical
 * detectors have nothing to count in it, so this class knows Rspamd's answers. They depend only on the byte and on the
 * one that follows.
 */
final class SingleByteGuess {
    private static final int FIRST_BYTE = 0x80;
    private static final int FIRST_PRINTABLE = 0x20;
    /** Characters before the columns of a row: the byte in hexadecimal and a space. */
    private static final int ROW_START = 3;
    /** Columns of tab, line feed and carriage return. */
    private static final String BREAKS = "\t\n\r";

    private static final Map<Character, String> NAMES = new HashMap<>();
    private static final String[] ROWS = new String[128];

    static {
        try (InputStream in = SingleByteGuess.class.getResourceAsStream("single-bytes.txt");
                BufferedReader lines = new BufferedReader(new InputStreamReader(
                        Objects.requireNonNull(in, "single-bytes.txt is missing from the class path"),
                        StandardCharsets.US_ASCII))) {
            lines.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
                if (line.charAt(1) == ' ') {
                    NAMES.put(line.charAt(0), line.substring(2));
                } else {
                    ROWS[Integer.parseInt(line, 0, 2, 16) - FIRST_BYTE] = line.substring(ROW_START);
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
