package dev.weir.config.map;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import dev.weir.config.source.Problem;

/**
 * An immutable set of texts, such as digests. Letter case matters.
 *
 * @param texts the texts
 */
public record TextSet(Set<String> texts) {
    /** Copies the set. */
    public TextSet {
        texts = Set.copyOf(texts);
    }

    /**
     * Reads a map of texts, with one text per line. The rest of a line after its text is a comment.
     *
     * @param name the name of the map in problems
     * @param problems receives a problem for each unreadable line; the result omits these lines
     */
    public static TextSet parse(String name, String text, Consumer<Problem> problems) {
        return new TextSet(MapLines.of(name, text, NetworkList.MOST_ENTRIES, problems).stream()
                .map(MapLines.Line::key)
                .collect(Collectors.toSet()));
    }

    /** Returns a set of the texts that the configuration itself contains. */
    public static TextSet of(List<MapSource.Entry> entries) {
        return new TextSet(entries.stream().map(MapSource.Entry::text).collect(Collectors.toSet()));
    }

    /** Returns the union of both sets. */
    public TextSet with(TextSet other) {
        Set<String> all = new HashSet<>(texts);
        all.addAll(other.texts);
        return new TextSet(all);
    }
}
