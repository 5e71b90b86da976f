package dev.weir.hash.html;

import java.util.ArrayList;
import java.util.List;

import dev.weir.hash.html.css.Style;
import dev.weir.hash.url.Url;
import org.jspecify.annotations.Nullable;

/**
 * One tag of the tree, known by places in the input: its text is what stands between its children. Filled by the
 * parser, the tree builder and the style resolver of one document in turn; nobody else sees it.
 */
final class HtmlNode {
    enum Kind {
        TAG,
        COMMENT,
        DECLARATION,
        XML,
        /** A closing tag without an opening one. */
        STRAY,
        /** The root of a document that has no {@code html} tag. */
        VIRTUAL
    }

    static final int OPEN = -1;

    final Kind kind;
    final TagName tagName;
    final String name;
    final @Nullable TagType type;
    /** Where the {@code <} stands. */
    final int start;
    /** The attribute read last; few tags have more than a handful, and none of them very many. */
    private @Nullable Value lastValue;
    private List<HtmlNode> children = List.of();

    @Nullable
    HtmlNode parent;
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
    /**
     * What a link says, trimmed and cut to a bounded length: where it stands in the visible text; empty if it says
     * nothing.
     */
    int labelStart;
    int labelEnd;
    /** The domain of the URL that a link shows, if it shows one. */
    @Nullable
    String shownDomain;

    private static final class Value {
        final Attribute attribute;
        final byte[] bytes;
        final @Nullable Value before;

        Value(Attribute attribute, byte[] bytes, @Nullable Value before) {
            this.attribute = attribute;
            this.bytes = bytes;
            this.before = before;
        }
    }

    HtmlNode(Kind kind, TagName tagName, int start) {
        this.kind = kind;
        this.tagName = tagName;
        this.name = tagName.text();
        this.type = kind == Kind.TAG || kind == Kind.STRAY ? tagName.type() : null;
        this.start = start;
        this.headModel = type != null && type.is(Model.HEAD);
    }

    boolean is(Model model) {
        return type != null && type.is(model);
    }

    /** @param known the name of a known tag, of which there is one object only */
    boolean isTag(TagName known) {
        return kind == Kind.TAG && tagName == known;
    }

    int childCount() {
        return children.size();
    }

    HtmlNode child(int index) {
        return children.get(index);
    }

    void add(HtmlNode child) {
        if (children.isEmpty()) {
            children = new ArrayList<>(4);
        }
        children.add(child);
        child.parent = this;
    }

    /**
     * The value of an attribute, entities decoded; null if it is not there. Of several of that name the first counts.
     */
    byte @Nullable [] attribute(Attribute attribute) {
        byte[] first = null;
        for (Value value = lastValue; value != null; value = value.before) {
            first = value.attribute == attribute ? value.bytes : first;
        }
        return first;
    }

    /** As {@link #attribute(Attribute)}, but of several attributes of that name the last: styles are made of those. */
    byte @Nullable [] lastAttribute(Attribute attribute) {
        for (Value value = lastValue; value != null; value = value.before) {
            if (value.attribute == attribute) {
                return value.bytes;
            }
        }
        return null;
    }

    /** Adds an attribute behind those that were read before. */
    void attribute(Attribute attribute, byte[] value) {
        lastValue = new Value(attribute, value, lastValue);
    }
}
