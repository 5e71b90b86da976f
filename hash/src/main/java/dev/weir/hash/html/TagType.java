package dev.weir.hash.html;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.weir.hash.table.TextTable;

/**
 * A known tag.
 *
 * @param name in lower case
 * @param index index in {@link #all}
 * @param models properties of the tag. Do not modify: the set is queried for every tag, and an unmodifiable view would
 * slow that down
 */
record TagType(String name, int index, EnumSet<Model> models) {
    private static final List<TagType> ALL = load();

    boolean is(Model model) {
        return models.contains(model);
    }

    /** Returns all known tags. */
    static List<TagType> all() {
        return ALL;
    }

    private static List<TagType> load() {
        Map<String, Model> models = new HashMap<>();
        for (Model model : Model.values()) {
            models.put(model.name().toLowerCase(Locale.ROOT), model);
        }
        List<TagType> all = new ArrayList<>();
        for (String[] row : TextTable.rows(TagType.class, "tags.txt", " ")) {
            EnumSet<Model> flags = EnumSet.noneOf(Model.class);
            for (int i = 1; i < row.length; i++) {
                Model model = models.get(row[i]);
                if (model != null) {
                    flags.add(model);
                }
            }
            all.add(new TagType(row[0], all.size(), flags));
        }
        return List.copyOf(all);
    }
}
