package dev.weir.hash.html;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

import dev.weir.hash.bytes.Ascii;
import org.jspecify.annotations.Nullable;

/** The name of a tag. Each known name has a single object, which saves memory and allows comparison by identity. */
final class TagName {
    /** The name of nodes that are not tags. */
    static final TagName NONE = new TagName("", null);

    private static final NameTable<TagName> KNOWN = table();
    static final TagName A = known("a");
    static final TagName BASE = known("base");
    static final TagName BODY = known("body");
    static final TagName BR = known("br");
    static final TagName FORM = known("form");
    static final TagName HEAD = known("head");
    static final TagName HR = known("hr");
    static final TagName HTML = known("html");
    static final TagName IMG = known("img");
    static final TagName INPUT = known("input");
    static final TagName STYLE = known("style");

    private final String text;
    private final @Nullable TagType type;

    private TagName(String text, @Nullable TagType type) {
        this.text = text;
        this.type = type;
    }

    private static NameTable<TagName> table() {
        Map<String, TagName> known = new HashMap<>();
        for (TagType type : TagType.all()) {
            known.put(type.name(), new TagName(type.name(), type));
        }
        return new NameTable<>(known);
    }

    private static TagName known(String text) {
        byte[] name = text.getBytes(StandardCharsets.US_ASCII);
        return Objects.requireNonNull(KNOWN.get(name, 0, name.length), text);
    }

    /** Returns the name in lower case. */
    String text() {
        return text;
    }

    /** Returns the type, or null for an unknown name. */
    @Nullable
    TagType type() {
        return type;
    }

    /** Returns the name in [from, to), which may contain character references. */
    static TagName read(byte[] html, int from, int to) {
        TagName known = KNOWN.get(html, from, to);
        return known != null ? known : of(EntityDecoder.decode(html, from, to));
    }

    private static TagName of(byte[] name) {
        TagName known = KNOWN.get(name, 0, name.length);
        if (known != null) {
            return known;
        }
        Ascii.lower(name);
        return new TagName(new String(name, StandardCharsets.ISO_8859_1), null);
    }
}
