package dev.weir.hash.html;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** The attributes that mean something to the text or the structure of a mail. All others are read and forgotten. */
enum Attribute {
    HREF, ACTION, SRC, CLASS, ID, STYLE, COLOR, BGCOLOR, HIDDEN, ALT, TITLE, REL, ROLE, ARIA_LABEL, TYPE, WIDTH, HEIGHT;

    private static final Map<String, Attribute> BY_NAME = byName();

    /** The attribute of that name (lower case), null if it has no meaning here. */
    static @Nullable Attribute of(String name) {
        return BY_NAME.get(name);
    }

    private static Map<String, Attribute> byName() {
        Map<String, Attribute> names = new HashMap<>();
        for (Attribute attribute : values()) {
            names.put(attribute.name().toLowerCase(Locale.ROOT).replace('_', '-'), attribute);
        }
        return Map.copyOf(names);
    }
}
