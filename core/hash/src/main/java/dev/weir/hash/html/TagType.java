package dev.weir.hash.html;

import java.util.ArrayList;
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
 * @param models properties of the tag: {@link Model#bit} of each. The set is queried several times for every tag
 */
record TagType(String name, int index, int models) {
    private static final List<TagType> ALL = load();

    boolean is(Model model) {
        return (models & model.bit()) != 0;
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
            int flags = 0;
            for (int i = 1; i < row.length; i++) {
                Model model = models.get(row[i]);
                if (model != null) {
                    flags |= model.bit();
                }
            }
            all.add(new TagType(row[0], all.size(), flags));
        }
        return List.copyOf(all);
    }
}
