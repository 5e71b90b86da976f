package dev.weir.config.ucl;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

import dev.weir.config.source.Origin;

/**
 * A section: keys in the order of their first mention, each with one value or, when the key was repeated, several (an
 * implicit array, docs/reference/configuration-language.md#objects).
 *
 * @param members every key with its values, never an empty list; case matters
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

    /** A section that holds one thing. */
    public static UclObject of(String key, UclValue value) {
        return new UclObject(new LinkedHashMap<>(Map.of(key, List.of(value))), value.origin(), value.priority());
    }

    /** The values of a key as they were written; empty if it is absent. */
    public List<UclValue> values(String key) {
        return members.getOrDefault(key, List.of());
    }

    /**
     * The values of a key as Rspamd's consumers see them: repeated values and the items of arrays in one row. Absent,
     * {@code []} and {@code {}} are told apart by {@link #values} only.
     */
    public List<UclValue> items(String key) {
        return flat(values(key));
    }

    /** The values of one key in one row: each array among them gives its items. */
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
