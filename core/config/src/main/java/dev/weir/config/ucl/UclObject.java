package dev.weir.config.ucl;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

import dev.weir.config.source.Origin;

/**
 * A section: keys in the order of their first occurrence. A key has one value or, if it was repeated, several (an
 * implicit array, docs/reference/configuration-language.md#objects).
 *
 * @param members every key with its values, never an empty list; letter case matters
 */
public record UclObject(SequencedMap<String, List<UclValue>> members, Origin origin, int priority)
        implements
            UclValue {
    /** Copies the map and its lists. */
    public UclObject {
        LinkedHashMap<String, List<UclValue>> copy = new LinkedHashMap<>();
        members.forEach((key, values) -> {
            if (values.isEmpty()) {
                throw new IllegalArgumentException("no value for " + key);
            }
            copy.put(key, List.copyOf(values));
        });
        members = Collections.unmodifiableSequencedMap(copy);
    }

    /** Returns a section with one member. */
    public static UclObject of(String key, UclValue value) {
        return new UclObject(new LinkedHashMap<>(Map.of(key, List.of(value))), value.origin(), value.priority());
    }

    /** Returns the values of a key as written, without {@code null}; empty if the key is absent. */
    public List<UclValue> values(String key) {
        return present(members.getOrDefault(key, List.of()));
    }

    /** Returns the members as they count for readers of options: a key that is {@code null} is absent. */
    public SequencedMap<String, List<UclValue>> present() {
        SequencedMap<String, List<UclValue>> present = new LinkedHashMap<>();
        members.forEach((key, values) -> {
            List<UclValue> given = present(values);
            if (!given.isEmpty()) {
                present.put(key, given);
            }
        });
        return present;
    }

    private static List<UclValue> present(List<UclValue> values) {
        return values.stream().anyMatch(UclNull.class::isInstance)
                ? values.stream().filter(value -> !(value instanceof UclNull)).toList()
                : values;
    }

    /**
     * Returns the values of a key as Rspamd's consumers see them: repeated values and the items of arrays in one flat
     * list. Only {@link #values} distinguishes an absent key, {@code []} and {@code {}}.
     */
    public List<UclValue> items(String key) {
        return flat(values(key));
    }

    /** Flattens the values of one key: each array contributes its items. */
    static List<UclValue> flat(List<UclValue> values) {
        List<UclValue> row = new ArrayList<>();
        for (UclValue value : values) {
            if (value instanceof UclArray array) {
                row.addAll(array.items());
            } else {
                row.add(value);
            }
        }
        return Collections.unmodifiableList(row);
    }
}
