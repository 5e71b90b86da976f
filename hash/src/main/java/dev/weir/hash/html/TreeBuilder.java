package dev.weir.hash.html;

import java.util.ArrayList;
import java.util.List;

import dev.weir.hash.release.Release;
import org.jspecify.annotations.Nullable;

/**
 * The builder of Rspamd's tag tree (docs/reference/hashing.md#html). The tree differs from that of the HTML standard:
 * no tag is closed by implication, so a {@code p} in an open {@code p} becomes its child, and closing tags without an
 * opening one become nodes.
 */
final class TreeBuilder {
    /** Maximum number of nodes. After that no tag is opened, and the rest of the input is text. */
    static final int MAX_TAGS = 8192;
    /** Memory limit for input that consists of closing tags, which Rspamd does not limit. */
    private static final int MAX_NODES = 131_072;

    private enum State {
        DOCTYPE, HEAD, BODY
    }

    private final List<HtmlNode> nodes = new ArrayList<>();
    private final OpenTags open = new OpenTags();
    private final Release like;
    private State state = State.DOCTYPE;
    private @Nullable HtmlNode root;
    private @Nullable HtmlNode current;
    private int tagsCount;
    private int textFrom = -1;

    TreeBuilder(Release like) {
        this.like = like;
    }

    /** Adds the implied {@code html} tag of a document that does not begin with a tag. */
    void openSynthetic() {
        HtmlNode html = new HtmlNode(HtmlNode.Kind.TAG, TagName.HTML, 0);
        html.contentStart = 0;
        root = html;
        state = State.BODY;
        nodes.add(html);
        push(html);
    }

    boolean isFull() {
        return nodes.size() > MAX_TAGS;
    }

    boolean isClogged() {
        return nodes.size() > MAX_NODES;
    }

    /**
     * Adds a complete opening tag, comment, declaration or instruction, whose {@code >} is before {@code contentStart}.
     */
    void open(HtmlNode node, int contentStart, boolean selfClosed) {
        node.contentStart = contentStart;
        tagsCount++;
        HtmlNode parent = parentFor(node);
        advance(node, parent);
        attach(node, parent == null ? null : openAncestor(parent));
        node.inBody = state == State.BODY;
        if (selfClosed || node.is(Model.EMPTY)) {
            node.closed = true;
            node.closeStart = contentStart;
            node.closeEnd = contentStart;
        } else {
            push(node);
        }
    }

    /** Adds an invalid construct. It splits the text and belongs to the second half. */
    void abandoned(HtmlNode node) {
        node.closed = true;
        attach(node, parentFor(node));
    }

    /**
     * Adds a closing tag. It closes the tag that it matches and those opened since. In 3.4 a tag that does not match
     * the innermost open one closes every open tag of the document, and what follows belongs to the root. So does the
     * closing tag of the root in both releases.
     */
    void close(TagName name, int start, int end) {
        if (name.text().equals("head") && state == State.HEAD) {
            state = State.BODY;
        }
        HtmlNode top = root == null ? openVirtual() : root;
        HtmlNode innermost = current;
        HtmlNode match = open.has(name) ? innermost : null;
        while (match != null && !match.name.equals(name.text())) {
            match = match.parent;
        }
        if (innermost == null || match == null) {
            HtmlNode stray = strayNode(name, start, end);
            attach(stray, parentFor(stray));
        } else if (match != top && (match == innermost || like != Release.V3_4)) {
            end(innermost, match, start, end);
            current = match.parent;
        } else {
            end(innermost, top, start, end);
            top.closeEnd = start;
            current = null;
            attach(strayNode(TagName.NONE, start, end), top);
        }
    }

    /** Closes the tags from {@code innermost} up to {@code outermost}. */
    private void end(HtmlNode innermost, HtmlNode outermost, int start, int end) {
        for (HtmlNode node = innermost; node != null; node = node == outermost ? null : node.parent) {
            end(node, start, end);
        }
    }

    private static HtmlNode strayNode(TagName name, int start, int end) {
        HtmlNode stray = new HtmlNode(HtmlNode.Kind.STRAY, name, start);
        stray.closed = true;
        stray.contentStart = end;
        stray.closeStart = end;
        stray.closeEnd = end;
        return stray;
    }

    /** Treats everything from {@code at} as text of the document; open tags stay open. */
    void restIsText(int at) {
        textFrom = at;
        breakOff();
    }

    /** Finishes a tree whose input ended inside a tag; open tags stay open. */
    void breakOff() {
        current = null;
    }

    void finish(int end) {
        for (HtmlNode node = current; node != null; node = node.parent) {
            if (!node.closed) {
                end(node, end, end);
            }
        }
    }

    @Nullable
    HtmlNode root() {
        return root;
    }

    /** Returns all tags in document order, including implied ones. */
    List<HtmlNode> nodes() {
        return nodes;
    }

    int tagsCount() {
        return tagsCount;
    }

    /** Returns the position at which the limit ended the reading of markup, or -1. */
    int textFrom() {
        return textFrom;
    }

    private void end(HtmlNode node, int closeStart, int closeEnd) {
        if (!node.closed) {
            open.closed(node.tagName);
        }
        node.closed = true;
        node.closeStart = closeStart;
        node.closeEnd = closeEnd;
    }

    private void push(HtmlNode node) {
        open.opened(node.tagName);
        current = node;
    }

    private HtmlNode openVirtual() {
        HtmlNode html = new HtmlNode(HtmlNode.Kind.VIRTUAL, TagName.HTML, 0);
        root = html;
        nodes.add(html);
        push(html);
        return html;
    }

    private @Nullable HtmlNode parentFor(HtmlNode node) {
        if (root == null) {
            if (node.isTag(TagName.HTML)) {
                root = node;
                return null;
            }
            openVirtual();
        }
        return current != null ? openAncestor(current) : root;
    }

    private HtmlNode openAncestor(HtmlNode node) {
        HtmlNode ancestor = node;
        while (ancestor.closed && ancestor.parent != null) {
            ancestor = ancestor.parent;
        }
        return ancestor;
    }

    private void attach(HtmlNode node, @Nullable HtmlNode parent) {
        nodes.add(node);
        if (parent != null) {
            parent.add(node);
        }
    }

    private void advance(HtmlNode node, @Nullable HtmlNode parent) {
        switch (state) {
            case DOCTYPE -> {
                if (node.isTag(TagName.HEAD) || node.headModel) {
                    node.ignored = true;
                    state = State.HEAD;
                } else if (!node.isTag(TagName.HTML)) {
                    state = State.BODY;
                }
            }
            case HEAD -> advanceInHead(node, parent);
            case BODY -> {
            }
        }
    }

    private void advanceInHead(HtmlNode node, @Nullable HtmlNode parent) {
        if (node.is(Model.EMPTY) || node.headModel) {
            return;
        }
        if (parent == null || parent.isTag(TagName.HEAD) || !parent.headModel) {
            if (parent != null) {
                // This includes the root: the text after its last child is lost unless a closing tag follows.
                end(parent, node.start, node.start);
                current = openAncestor(parent);
            }
            state = State.BODY;
        } else if (node.isTag(TagName.BODY)) {
            state = State.BODY;
        } else {
            node.headModel = true;
        }
    }
}
