package dev.weir.hash.html.table;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** Tables of data on the class path: one entry a line, fields separated by one space, {@code #} begins a comment. */
public final class TextTable {
    private TextTable() {}

    /** The fields of every line of the resource {@code name} beside {@code owner}. */
    public static List<String[]> rows(Class<?> owner, String name) {
        try (InputStream in = owner.getResourceAsStream(name)) {
            byte[] text = Objects.requireNonNull(in, () -> name + " is missing from the class path").readAllBytes();
            return new String(text, StandardCharsets.UTF_8).lines()
                    .filter(line -> !line.isEmpty() && line.charAt(0) != '#')
                    .map(line -> line.split(" ", -1)).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
