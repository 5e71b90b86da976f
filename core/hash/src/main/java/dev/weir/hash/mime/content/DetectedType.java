package dev.weir.hash.mime.content;

import java.util.HashMap;
import java.util.Map;

import dev.weir.hash.table.TextTable;
import org.jspecify.annotations.Nullable;

/**
 * A content type that detection can find.
 *
 * @param id short name, usually the file extension
 * @param category {@code text}, {@code image}, {@code archive}, {@code office}, {@code executable}, ...
 * @param mediaType media type that {@code mime_types} patterns are matched against
 * @param noText true for text that is never hashed as text
 */
public record DetectedType(String id, String category, String mediaType, boolean noText) {
    private static final Map<String, DetectedType> ALL = all();

    private static Map<String, DetectedType> all() {
        Map<String, DetectedType> map = new HashMap<>();
        for (String[] row : TextTable.rows(DetectedType.class, "detected-types.tsv", "\t")) {
            map.put(row[0], new DetectedType(row[0], row[1], row[2], row[3].equals("no_text")));
        }
        return Map.copyOf(map);
    }

    static DetectedType of(String id) {
        DetectedType type = ALL.get(id);
        if (type == null) {
            throw new IllegalArgumentException("no such content type: " + id);
        }
        return type;
    }

    public boolean isText() {
        return category.equals("text") && !noText;
    }

    public static boolean is(@Nullable DetectedType type, String wanted) {
        return type != null && type.id().equals(wanted);
    }
}
