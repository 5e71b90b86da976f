package dev.weir.hash.html.css;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** The CSS properties that affect visibility. */
public enum Property {
    FONT(Type.FONT),
    FONT_COLOR(Type.COLOR),
    FONT_SIZE(Type.LENGTH),
    COLOR(Type.COLOR),
    /** {@code background-color}, and the attribute's name, which Rspamd also accepts. */
    BGCOLOR(Type.COLOR),
    BACKGROUND(Type.COLOR),
    HEIGHT(Type.LENGTH),
    WIDTH(Type.LENGTH),
    MAX_HEIGHT(Type.LENGTH),
    MAX_WIDTH(Type.LENGTH),
    DISPLAY(Type.DISPLAY),
    VISIBILITY(Type.DISPLAY),
    OPACITY(Type.NUMBER),
    OVERFLOW(Type.OVERFLOW),
    POSITION(Type.POSITION),
    LEFT(Type.LENGTH),
    TOP(Type.LENGTH),
    TEXT_INDENT(Type.LENGTH),
    CLIP(Type.CLIP),
    CLIP_PATH(Type.CLIP);

    /** The kind of values that a property accepts. */
    enum Type {
        COLOR, LENGTH, FONT, DISPLAY, NUMBER, OVERFLOW, POSITION, CLIP
    }

    private static final Map<String, Property> BY_NAME = byName();

    final Type type;

    Property(Type type) {
        this.type = type;
    }

    /** Returns the property with this lower-case name, or null for any other name. */
    static @Nullable Property of(String name) {
        return BY_NAME.get(name);
    }

    private static Map<String, Property> byName() {
        Map<String, Property> names = new HashMap<>();
        for (Property property : values()) {
            names.put(property.name().toLowerCase(Locale.ROOT).replace('_', '-'), property);
        }
        names.put("background-color", BGCOLOR);
        return Map.copyOf(names);
    }
}
