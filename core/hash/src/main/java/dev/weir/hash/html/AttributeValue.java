package dev.weir.hash.html;

import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.bytes.ByteSearch;
import dev.weir.hash.html.css.InlineStyles;
import dev.weir.hash.html.css.Style;
import org.jspecify.annotations.Nullable;

/** The value of an attribute in the input. It is decoded when it is first needed, because few values ever are. */
final class AttributeValue {
    final Attribute attribute;
    /** The attribute before this one in the tag, or null. */
    final @Nullable AttributeValue before;
    private final byte[] html;
    private final int from;
    private final int to;
    private final boolean lowerFirst;
    private byte @Nullable [] decoded;

    /**
     * @param from start of the value in {@code html}
     * @param to end of the value
     * @param lowerFirst whether the first letter becomes lower case
     */
    AttributeValue(Attribute attribute, byte[] html, int from, int to, boolean lowerFirst,
            @Nullable AttributeValue before) {
        this.attribute = attribute;
        this.html = html;
        this.from = from;
        this.to = to;
        this.lowerFirst = lowerFirst;
        this.before = before;
    }

    /** Returns the value without NUL bytes and with character references decoded. Do not modify it. */
    byte[] bytes() {
        byte[] known = decoded;
        if (known == null) {
            known = decode();
            decoded = known;
        }
        return known;
    }

    /** Returns the style that the value of a {@code style} attribute states. Do not modify it. */
    Style style(InlineStyles cache) {
        if (lowerFirst) {
            return cache.read(bytes());
        }
        Style known = cache.known(html, from, to);
        return known != null ? known : cache.read(html, from, to, bytes());
    }

    private byte[] decode() {
        byte[] bytes = withReferences();
        if (lowerFirst && bytes.length > 0) {
            bytes[0] = (byte) Ascii.lower(bytes[0]);
        }
        if (attribute == Attribute.CLASS || attribute == Attribute.ID) {
            Ascii.lower(bytes);
        }
        return bytes;
    }

    private byte[] withReferences() {
        if (ByteSearch.indexOf(html, from, to, '\0') == to) {
            return EntityDecoder.decode(html, from, to);
        }
        TextBuffer withoutNul = new TextBuffer(to - from + 1);
        withoutNul.appendWithoutNul(html, from, to);
        byte[] raw = withoutNul.toBytes();
        return EntityDecoder.decode(raw, 0, raw.length);
    }
}
