package dev.weir.hash.html;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

import dev.weir.hash.bytes.ByteSearch;
import org.jspecify.annotations.Nullable;

/** The attributes that affect the text or the structure of a mail. The parser discards all others. */
enum Attribute {
    HREF, ACTION, SRC, CLASS, ID, STYLE, COLOR, BGCOLOR, HIDDEN, ALT, TITLE, REL, ROLE, ARIA_LABEL, TYPE, WIDTH, HEIGHT;

    private static final NameTable<Attribute> BY_NAME = byName();

    /** Returns the bit that represents the attribute in a set. */
    @SuppressWarnings("EnumOrdinal") // a set of them is never stored
    int bit() {
        return 1 << ordinal();
    }

    /** Returns the attribute with the name in [from, to), or null for any other name. */
    static @Nullable Attribute read(byte[] html, int from, int to) {
        Attribute attribute = BY_NAME.get(html, from, to);
        if (attribute != null || ByteSearch.indexOf(html, from, to, '&') == to) {
            return attribute;
        }
        byte[] name = EntityDecoder.decode(html, from, to);
        return BY_NAME.get(name, 0, name.length);
    }

    private static NameTable<Attribute> byName() {
        Map<String, Attribute> names = new HashMap<>();
        for (Attribute attribute : values()) {
            names.put(attribute.name().toLowerCase(Locale.ROOT).replace('_', '-'), attribute);
        }
        return new NameTable<>(names);
    }
}
