package dev.weir.config.map;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

import dev.weir.config.source.Problem;

/**
 * An immutable set of texts (digests, key identifiers, names), each with a value that may be empty. Letter case
 * matters.
 *
 * @param entries the texts with their values; a repeated text has its last value
 */
public record KeyMap(Map<String, String> entries) {
    /** The empty map. */
    public static final KeyMap NONE = new KeyMap(Map.of());

    /** Copies the map. */
    public KeyMap {
        entries = Map.copyOf(entries);
    }

    /**
     * Reads a map of texts: one text per line, optionally followed by blanks and a value.
     *
     * @param name the name of the map in problems
     * @param problems receives a problem for each unreadable line; the result omits these lines
     */
    public static KeyMap parse(String name, String text, Consumer<Problem> problems) {
        Map<String, String> entries = new LinkedHashMap<>();
        for (MapLines.Line line : MapLines.of(name, text, NetworkList.MOST_ENTRIES, problems)) {
            entries.put(line.key(), line.value());
        }
        return new KeyMap(entries);
    }

    /** Returns a map of the texts that the configuration itself contains. */
    public static KeyMap of(List<MapSource.Entry> entries) {
        Map<String, String> texts = new LinkedHashMap<>();
        entries.forEach(entry -> texts.put(entry.text(), ""));
        return new KeyMap(texts);
    }

    /** Returns the union of both maps; the values of the other map take precedence. */
    public KeyMap with(KeyMap other) {
        Map<String, String> all = new LinkedHashMap<>(entries);
        all.putAll(other.entries);
        return new KeyMap(all);
    }

    /** Returns whether the map contains the text. */
    public boolean contains(String text) {
        return entries.containsKey(text);
    }

    /** Returns the value of a text. */
    public Optional<String> get(String text) {
        return Optional.ofNullable(entries.get(text));
    }

    /** Returns all texts. */
    public Set<String> keys() {
        return entries.keySet();
    }
}
