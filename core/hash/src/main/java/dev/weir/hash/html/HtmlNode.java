package dev.weir.hash.html;

import java.util.ArrayList;
import java.util.List;

import dev.weir.hash.html.css.Style;
import dev.weir.hash.url.Url;
import org.jspecify.annotations.Nullable;

/**
 * A tag of the tree, stored as positions in the input; its text is the input between its children. The parser, the tree
 * builder and the style resolver of one document fill it in turn. No other code changes it.
 */
final class HtmlNode {
    enum Kind {
        TAG,
        COMMENT,
        DECLARATION,
        XML,
        /** A closing tag without an opening one. */
        STRAY,
        /** The root of a document without an {@code html} tag. */
        VIRTUAL
    }

    /** The position of a closing tag. Tags that it closes together share it. */
    static final class Closing {
        int start;
        int end;

        Closing(int start, int end) {
            this.start = start;
            this.end = end;
        }
    }

    final Kind kind;
    final TagName tagName;
    final String name;
    final @Nullable TagType type;
    /** Position of the {@code <}. */
    final int start;
    /** The last attribute, head of a linked list; few tags have more than a handful. */
    private @Nullable AttributeValue lastValue;
    /** The attributes that the tag has: {@link Attribute#bit} of each. */
    private int present;
    private List<HtmlNode> children = List.of();

    @Nullable
    HtmlNode parent;
    /** The parent, or an ancestor with only closed tags between. */
    private @Nullable HtmlNode outer;
    private int depth;
    /** Position after the opening tag. */
    int contentStart;
    /** Null if the tag is open. A closed tag stays closed, but its position may change. */
    @Nullable
    Closing closing;
    /** The tag that started the head; it is neither text nor structure. */
    boolean ignored;
    /** Set for a head tag, and for an unknown or ordinary tag inside of one. */
    boolean headModel;
    /** Set if the tag was opened in the body of the document. */
    boolean inBody;
    @Nullable
    Style style;
    @Nullable
    Url url;
    /**
     * Position of the link text in the visible text, trimmed and cut to a bounded length; empty if the link has no
     * text.
     */
    int labelStart;
    int labelEnd;
    /** The domain of the URL that the link text displays, or null. */
    @Nullable
    String shownDomain;

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

    /**
     * @param known name of a known tag, for which only one object exists
     */
    boolean isTag(TagName known) {
        return kind == Kind.TAG && tagName == known;
    }

    boolean isClosed() {
        return closing != null;
    }

    /** Returns the position of the closing tag, or the start of the content if there is none. */
    int closeStart() {
        return closing == null ? contentStart : closing.start;
    }

    /** Returns the position after the closing tag, or the start of the content if there is none. */
    int closeEnd() {
        return closing == null ? contentStart : closing.end;
    }

    /** Whether the names are equal; an unknown name has no object of its own. */
    boolean hasName(TagName other) {
        return tagName == other || name.equals(other.text());
    }

    /** Returns the depth in the tree; the root has depth 0. A tag gets its children after it got its parent. */
    int depth() {
        return depth;
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
        child.outer = this;
        child.depth = depth + 1;
    }

    /**
     * Returns the innermost open tag among {@code node} and its ancestors. A search shortens the way for later ones, so
     * that many closing tags below many closed tags take linear time.
     */
    static @Nullable HtmlNode open(@Nullable HtmlNode node) {
        HtmlNode tag = node;
        while (tag != null && tag.isClosed()) {
            HtmlNode outer = tag.outer;
            if (outer != null && outer.isClosed()) {
                tag.outer = outer.outer;
            }
            tag = outer;
        }
        return tag;
    }

    /** Returns the decoded value of an attribute, or null if it is absent; see {@link #first}. */
    byte @Nullable [] attribute(Attribute attribute) {
        AttributeValue value = first(attribute);
        return value == null ? null : value.bytes();
    }

    /** Returns an attribute, or null if it is absent. If it is repeated, the first one counts. */
    @Nullable
    AttributeValue first(Attribute attribute) {
        AttributeValue first = null;
        for (AttributeValue value = has(attribute) ? lastValue : null; value != null; value = value.before) {
            first = value.attribute == attribute ? value : first;
        }
        return first;
    }

    /** Returns the last attribute of that name, which styles of 3.4 use; see {@link #first}. */
    @Nullable
    AttributeValue last(Attribute attribute) {
        for (AttributeValue value = has(attribute) ? lastValue : null; value != null; value = value.before) {
            if (value.attribute == attribute) {
                return value;
            }
        }
        return null;
    }

    boolean has(Attribute attribute) {
        return (present & attribute.bit()) != 0;
    }

    /** Returns whether the tag has any attribute of the set, a sum of {@link Attribute#bit}s. */
    boolean hasAny(int attributes) {
        return (present & attributes) != 0;
    }

    /**
     * Appends an attribute with its value in the input.
     *
     * @param lowerFirst whether the first letter of the value becomes lower case
     */
    void add(Attribute attribute, byte[] html, int from, int to, boolean lowerFirst) {
        lastValue = new AttributeValue(attribute, html, from, to, lowerFirst, lastValue);
        present |= attribute.bit();
    }
}
