package dev.weir.config.map;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import dev.weir.config.source.Origin;
import dev.weir.config.source.Problem;

/**
 * The parser for the lines of a map. A line holds an entry; what follows after blanks has no meaning. A {@code #} at
 * the start of a line begins a comment, and empty lines have no meaning. An entry in double quotes may contain blanks.
 */
final class MapLines {
    /** The maximum length of a line. */
    private static final int LONGEST = 4096;

    private MapLines() {}

    record Line(String key, Origin origin) {}

    /** Returns all entries of a text. A malformed line is reported as a problem and omitted. */
    static List<Line> of(String name, String text, int limit, Consumer<Problem> problems) {
        List<Line> lines = new ArrayList<>();
        int number = 0;
        int start = text.startsWith("\uFEFF") ? 1 : 0;
        while (start < text.length()) {
            int stop = text.indexOf('\n', start);
            stop = stop < 0 ? text.length() : stop;
            number++;
            Origin origin = new Origin(name, number, 1);
            if (stop - start > LONGEST) {
                problems.accept(Problem.error(origin, "the line is longer than " + LONGEST + " characters"));
            } else {
                String line = text.substring(start, stop).strip();
                if (!line.isEmpty() && line.charAt(0) != '#') {
                    if (lines.size() == limit) {
                        problems.accept(Problem.error(origin, "the map has more than " + limit + " entries"));
                        break;
                    }
                    entry(line, origin, lines, problems);
                }
            }
            start = stop + 1;
        }
        return lines;
    }

    private static void entry(String line, Origin origin, List<Line> lines, Consumer<Problem> problems) {
        String key;
        if (line.charAt(0) == '"') {
            int close = line.indexOf('"', 1);
            if (close < 0) {
                problems.accept(Problem.error(origin, "expected '\"' at the end of the entry"));
                return;
            }
            key = line.substring(1, close);
        } else {
            int keyEnd = 0;
            while (keyEnd < line.length() && !Character.isWhitespace(line.charAt(keyEnd))) {
                keyEnd++;
            }
            key = line.substring(0, keyEnd);
        }
        if (key.isEmpty()) {
            problems.accept(Problem.error(origin, "expected an entry, but found an empty text"));
            return;
        }
        lines.add(new Line(key, origin));
    }
}
