package dev.weir.config.map;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

import dev.weir.config.source.Problem;

/**
 * A set of texts, each with a value that may be empty: digests, key identifiers, names. Immutable. Letter case matters.
 *
 * @param entries the texts with their values; of a text that is repeated the last value counts
 */
public record KeyMap(Map<String, String> entries) {
    /** No entry. */
    public static final KeyMap NONE = new KeyMap(Map.of());

    /** Copies the map. */
    public KeyMap {
        entries = Map.copyOf(entries);
    }

    /**
     * Reads a map of texts, one a line, with what follows after blanks as the value.
     *
     * @param name what the text is called in problems
     * @param problems is told which lines cannot be read; they are left out
     */
    public static KeyMap parse(String name, String text, Consumer<Problem> problems) {
        Map<String, String> entries = new LinkedHashMap<>();
        for (MapLines.Line line : MapLines.of(name, text, NetworkList.MOST_ENTRIES, problems)) {
            entries.put(line.key(), line.value());
        }
        return new KeyMap(entries);
    }

    /** The texts that stand in the configuration itself. */
    public static KeyMap of(List<MapSource.Entry> entries) {
        Map<String, String> texts = new LinkedHashMap<>();
        entries.forEach(entry -> texts.put(entry.text(), ""));
        return new KeyMap(texts);
    }

    /** Both together; the values of the other one count. */
    public KeyMap with(KeyMap other) {
        Map<String, String> all = new LinkedHashMap<>(entries);
        all.putAll(other.entries);
        return new KeyMap(all);
    }

    /** Whether the text is in the set. */
    public boolean contains(String text) {
        return entries.containsKey(text);
    }

    /** The value of a text. */
    public Optional<String> get(String text) {
        return Optional.ofNullable(entries.get(text));
    }

    /** All texts. */
    public Set<String> keys() {
        return entries.keySet();
    }
}
