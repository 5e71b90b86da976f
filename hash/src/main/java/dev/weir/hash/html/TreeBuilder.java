package dev.weir.hash.html;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Puts tags into Rspamd's tree (docs/reference/hashing.md#html). It differs from the tree of the HTML standard: nothing
 * is closed by implication, so that a {@code p} in an open {@code p} becomes its child, and closing tags without a
 * partner become nodes of their own.
 */
final class TreeBuilder {
    /** With more nodes than these no tag is opened any more: the rest of the input is text. */
    static final int MAX_TAGS = 8192;
    /** Bound of memory for input that consists of closing tags, which the reference does not limit. */
    private static final int MAX_NODES = 131_072;

    private enum State {
        DOCTYPE, HEAD, BODY
    }

    private final List<HtmlNode> nodes = new ArrayList<>();
    private final OpenTags open = new OpenTags();
    private State state = State.DOCTYPE;
    private @Nullable HtmlNode root;
    private @Nullable HtmlNode current;
    private int tagsCount;
    private int textFrom = -1;

    /** The document does not begin with a tag: it gets an {@code html} tag that nobody wrote. */
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
     * A complete opening tag, comment, declaration or instruction whose {@code >} stands before {@code contentStart}.
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

    /** A construct that turned out to be none: it cuts the text in two and is otherwise part of the second half. */
    void abandoned(HtmlNode node) {
        node.closed = true;
        attach(node, parentFor(node));
    }

    /**
     * A closing tag. One that closes the innermost open tag is all that one expects; one that reaches further up closes
     * every open tag of the document, and what follows belongs to the root.
     */
    void close(TagName name, int start, int end) {
        if (name.text().equals("head") && state == State.HEAD) {
            state = State.BODY;
        }
        if (root == null) {
            openVirtual();
        }
        HtmlNode innermost = current;
        if (innermost == null || !open.has(name)) {
            HtmlNode stray = strayNode(name, start, end);
            attach(stray, parentFor(stray));
        } else if (innermost.name.equals(name.text()) && innermost != root) {
            end(innermost, start, end);
            current = innermost.parent;
        } else {
            for (HtmlNode node = innermost; node != null; node = node.parent) {
                end(node, start, node == root ? start : end);
            }
            current = null;
            attach(strayNode(TagName.NONE, start, end), root);
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

    /** Everything from {@code at} on is text of the document, whatever it looks like; what is open stays open. */
    void restIsText(int at) {
        textFrom = at;
        breakOff();
    }

    /** The input ended inside of a tag: what is open stays open. */
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

    /** All tags in document order, virtual ones included. */
    List<HtmlNode> nodes() {
        return nodes;
    }

    int tagsCount() {
        return tagsCount;
    }

    /** Where markup stopped being read because of the limit, -1 if it did not. */
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

    private void openVirtual() {
        root = new HtmlNode(HtmlNode.Kind.VIRTUAL, TagName.HTML, 0);
        nodes.add(root);
        push(root);
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
                // Even the root: the text behind its last child is lost unless a closing tag follows.
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
