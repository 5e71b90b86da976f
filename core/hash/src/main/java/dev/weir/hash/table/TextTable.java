package dev.weir.hash.table;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * A reader of data tables on the class path: one row per line; empty lines and lines that start with {@code #} are
 * skipped.
 */
public final class TextTable {
    private TextTable() {}

    /** Returns the fields of every row of the resource {@code name}, which is in the package of {@code owner}. */
    public static List<String[]> rows(Class<?> owner, String name, String separator) {
        try (InputStream in = owner.getResourceAsStream(name)) {
            byte[] text = Objects.requireNonNull(in, () -> name + " is missing from the class path").readAllBytes();
            return new String(text, StandardCharsets.UTF_8).lines()
                    .filter(line -> !line.isEmpty() && line.charAt(0) != '#')
                    .map(line -> line.split(separator, -1)).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
