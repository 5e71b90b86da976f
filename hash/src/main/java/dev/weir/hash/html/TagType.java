package dev.weir.hash.html;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import dev.weir.hash.html.table.TextTable;
import org.jspecify.annotations.Nullable;

/**
 * A tag with a known name.
 *
 * @param name   lower case
 * @param models what is known of it
 */
record TagType(String name, Set<Model> models) {
    private static final Map<String, TagType> KNOWN = load();

    boolean is(Model model) {
        return models.contains(model);
    }

    /** The type of that name (lower case), null if there is none. */
    static @Nullable TagType of(String name) {
        return KNOWN.get(name);
    }

    private static Map<String, TagType> load() {
        Map<String, Model> models = new HashMap<>();
        for (Model model : Model.values()) {
            models.put(model.name().toLowerCase(Locale.ROOT), model);
        }
        Map<String, TagType> known = new HashMap<>();
        for (String[] row : TextTable.rows(TagType.class, "tags.txt")) {
            Set<Model> flags = EnumSet.noneOf(Model.class);
            for (int i = 1; i < row.length; i++) {
                Model model = models.get(row[i]);
                if (model != null) {
                    flags.add(model);
                }
            }
            known.put(row[0], new TagType(row[0], Set.copyOf(flags)));
        }
        return Map.copyOf(known);
    }
}
