package dev.weir.hash.html.css;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

import dev.weir.hash.table.TextTable;
import org.jspecify.annotations.Nullable;

/** The known CSS keywords: colors, display types, units of length. All in lower case. */
final class Keywords {
    private static final Map<String, Color> COLORS = colors();
    private static final Map<String, Display> DISPLAY = display();
    private static final Map<String, Float> UNITS = units();

    private Keywords() {}

    static @Nullable Color color(String name) {
        return COLORS.get(name);
    }

    static @Nullable Display display(String name) {
        return DISPLAY.get(name);
    }

    /** Returns the pixels per unit, or null for an unknown unit. */
    static @Nullable Float unit(String name) {
        return UNITS.get(name);
    }

    private static Map<String, Color> colors() {
        Map<String, Color> colors = new HashMap<>(2048);
        for (String[] row : TextTable.rows(Keywords.class, "colors.txt", " ")) {
            colors.put(row[0], new Color(Integer.parseInt(row[1]), Integer.parseInt(row[2]), Integer.parseInt(row[3]),
                    row.length > 4 ? Integer.parseInt(row[4]) : 255));
        }
        return Map.copyOf(colors);
    }

    private static Map<String, Display> display() {
        Map<String, Display> keywords = new HashMap<>();
        for (String[] row : TextTable.rows(Keywords.class, "display.txt", " ")) {
            keywords.put(row[0], Display.valueOf(row[1].toUpperCase(Locale.ROOT)));
        }
        return Map.copyOf(keywords);
    }

    private static Map<String, Float> units() {
        Map<String, Float> units = new HashMap<>();
        for (String[] row : TextTable.rows(Keywords.class, "units.txt", " ")) {
            units.put(row[0], Float.valueOf(row[1]));
        }
        return Map.copyOf(units);
    }
}
