package dev.weir.hash.html.css;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** The CSS properties that affect visibility. */
public enum Property {
    FONT,
    FONT_COLOR,
    FONT_SIZE,
    COLOR,
    BGCOLOR,
    BACKGROUND_COLOR,
    BACKGROUND,
    HEIGHT,
    WIDTH,
    MAX_HEIGHT,
    MAX_WIDTH,
    DISPLAY,
    VISIBILITY,
    OPACITY,
    OVERFLOW,
    POSITION,
    LEFT,
    TOP,
    TEXT_INDENT,
    CLIP,
    CLIP_PATH;

    private static final Map<String, Property> BY_NAME = byName();

    /** Returns the property with this lower-case name, or null for any other name. */
    static @Nullable Property of(String name) {
        return BY_NAME.get(name);
    }

    private static Map<String, Property> byName() {
        Map<String, Property> names = new HashMap<>();
        for (Property property : values()) {
            names.put(property.name().toLowerCase(Locale.ROOT).replace('_', '-'), property);
        }
        return Map.copyOf(names);
    }
}
