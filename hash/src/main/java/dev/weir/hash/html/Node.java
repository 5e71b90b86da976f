package dev.weir.hash.html;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import dev.weir.hash.html.css.Style;
import dev.weir.hash.url.Url;
import org.jspecify.annotations.Nullable;

/**
 * One tag of the tree, known by places in the input: its text is what stands between its children. Filled by the parser,
 * the tree builder and the style resolver of one document in turn; nobody else sees it.
 */
final class Node {
    enum Kind {
        TAG, COMMENT, DECLARATION, XML,
        /** A closing tag without an opening one. */
        STRAY,
        /** The root of a document that has no {@code html} tag. */
        VIRTUAL
    }

    static final int OPEN = -1;

    final Kind kind;
    final String name;
    final @Nullable TagType type;
    /** Where the {@code <} stands. */
    final int start;
    private Map<Attribute, byte[]> attributes = Map.of();
    /** The last values of attributes that stand there more than once. */
    private Map<Attribute, byte[]> repeated = Map.of();
    private List<Node> children = List.of();

    @Nullable
    Node parent;
    /** The first byte behind the opening tag. */
    int contentStart;
    /** Where the closing tag begins; {@link #OPEN} if the tag was never properly closed. */
    int closeStart = OPEN;
    /** The first byte behind the closing tag. */
    int closeEnd = OPEN;
    boolean closed;
    /** The one tag that began the head; neither text nor structure. */
    boolean ignored;
    /** An unknown or ordinary tag inside of a head tag becomes one itself. */
    boolean headModel;
    /** Opened while the document was in its body. */
    boolean inBody;
    @Nullable
    Style style;
    @Nullable
    Url url;
    /** What a link says, trimmed, in lower case, cut to a bounded length. */
    @Nullable
    String label;
    /** The domain of the URL that a link shows, if it shows one. */
    @Nullable
    String shownDomain;

    Node(Kind kind, String name, int start) {
        this.kind = kind;
        this.name = name;
        this.type = kind == Kind.TAG || kind == Kind.STRAY ? TagType.of(name) : null;
        this.start = start;
        this.headModel = type != null && type.is(Model.HEAD);
    }

    boolean is(Model model) {
        return type != null && type.is(model);
    }

    boolean isTag(String tag) {
        return kind == Kind.TAG && name.equals(tag);
    }

    List<Node> children() {
        return Collections.unmodifiableList(children);
    }

    void add(Node child) {
        if (children.isEmpty()) {
            children = new ArrayList<>(4);
        }
        children.add(child);
        child.parent = this;
    }

    /** The value of an attribute, entities decoded; null if it is not there. */
    byte @Nullable [] attribute(Attribute attribute) {
        return attributes.get(attribute);
    }

    /** As {@link #attribute(Attribute)}, but of several attributes of that name the last: styles are made of those. */
    byte @Nullable [] lastAttribute(Attribute attribute) {
        byte[] last = repeated.get(attribute);
        return last != null ? last : attributes.get(attribute);
    }

    /** The first occurrence of an attribute counts, except for the style. */
    void attribute(Attribute attribute, byte[] value) {
        if (attributes.isEmpty()) {
            attributes = new EnumMap<>(Attribute.class);
        }
        if (attributes.putIfAbsent(attribute, value) != null) {
            if (repeated.isEmpty()) {
                repeated = new EnumMap<>(Attribute.class);
            }
            repeated.put(attribute, value);
        }
    }
}
