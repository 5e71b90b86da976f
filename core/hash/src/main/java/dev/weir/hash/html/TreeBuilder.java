package dev.weir.hash.html;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import dev.weir.hash.release.Release;
import org.jspecify.annotations.Nullable;

/**
 * The builder of Rspamd's tag tree (docs/reference/hashing.md#html). The tree differs from that of the HTML standard:
 * no tag is closed by implication, so a {@code p} in an open {@code p} becomes its child, and closing tags without an
 * opening one become nodes.
 */
final class TreeBuilder {
    /**
     * Maximum number of nodes. Where a further one would begin, the rest of the input becomes text. In 3.4 one more is
     * allowed, and stray closing tags are never refused.
     */
    static final int MAX_TAGS = 8192;
    /** Memory limit for input that consists of stray closing tags, which 3.4 does not limit. */
    private static final int MAX_NODES = 131_072;

    private enum State {
        DOCTYPE, HEAD, BODY
    }

    private final List<HtmlNode> nodes = new ArrayList<>();
    private final List<HtmlNode> sheets = new ArrayList<>();
    private final OpenTags open = new OpenTags();
    private final Release like;
    private State state = State.DOCTYPE;
    private @Nullable HtmlNode root;
    /** The tag read last, or the one around the tag that was closed last. */
    private @Nullable HtmlNode current;
    /** The parent of the tag opened last. */
    private @Nullable HtmlNode lastParent;
    /**
     * Whether the input after {@code </} was no tag name. Rspamd then no longer knows the current tag, and takes the
     * parent of the tag opened last for it.
     */
    private boolean lost;
    /** The tag that the closing tag in progress belongs to. */
    private @Nullable HtmlNode closing;
    /** A closed tag that was closed again together with those around it up to {@link #againTo}. */
    private @Nullable HtmlNode againFrom;
    private @Nullable HtmlNode againTo;
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
        return nodes.size() >= (like == Release.V3_4 ? MAX_TAGS + 1 : MAX_TAGS);
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
        if (lost) {
            leaveCurrent();
        } else if (current != null && !current.isClosed()) {
            lastParent = current;
        }
        lost = false;
        advance(node, lastParent);
        place(node);
        node.inBody = state == State.BODY;
        if (selfClosed || node.is(Model.EMPTY)) {
            node.closing = new HtmlNode.Closing(node.start, contentStart);
            current = lastParent;
        } else {
            push(node);
        }
    }

    /** Adds an invalid construct. It splits the text and belongs to the second half. */
    void abandoned(HtmlNode node) {
        open(node, 0, true);
    }

    /** Adds a tag in which the input ends. It belongs to the structure, but not to the tree. */
    void unfinished(HtmlNode node) {
        nodes.add(node);
    }

    /** Puts an opened tag into the tree. */
    private void place(HtmlNode node) {
        HtmlNode parent = HtmlNode.open(lastParent);
        if (parent == null && root == null && node.isTag(TagName.HTML)) {
            root = node;
            nodes.add(node);
            return;
        }
        if (parent == null) {
            parent = root == null ? openVirtual() : root;
        }
        lastParent = parent;
        nodes.add(node);
        parent.add(node);
    }

    /** Handles the {@code </} of a closing tag, or of what only looks like one. */
    void beginClosing() {
        if (lost) {
            leaveCurrent();
            closing = lastParent;
        } else {
            closing = HtmlNode.open(current);
        }
        lost = true;
    }

    /** Continues after {@link #lost} at the parent of the tag opened last, so that no tag can close its child. */
    private void leaveCurrent() {
        if (current != null && !current.isClosed() && current.parent != null && current.parent == lastParent) {
            open.closed(current.tagName);
        }
        current = lastParent;
    }

    /**
     * Adds a closing tag. It closes the tag that it matches and those opened since; without a match it becomes a node.
     * In 3.4 a tag that does not match the innermost open one closes every open tag of the document, and what follows
     * belongs to the root.
     *
     * @return false if it would become a node beyond the limit
     */
    boolean close(TagName name, int start, int end) {
        if (name == TagName.HEAD && state == State.HEAD) {
            state = State.BODY;
        }
        if (root == null) {
            closing = openVirtual();
        }
        HtmlNode innermost = closing;
        HtmlNode match = innermost == null || innermost.hasName(name) ? innermost : openMatch(innermost, name);
        HtmlNode next = null;
        if (innermost != null && match != null) {
            next = match.parent;
            if (like == Release.V3_4 && match != innermost) {
                end(innermost, null, start, end);
                next = null;
            } else {
                end(innermost, match, start, end);
            }
            if (name == TagName.STYLE && match == innermost && start > innermost.contentStart) {
                sheets.add(innermost);
            }
        }
        if (next != null) {
            current = next;
        } else if (like != Release.V3_4 && isFull()) {
            return false;
        } else {
            bogus(name, start, end);
        }
        lost = false;
        return true;
    }

    /** Adds a closing tag that leaves no current tag, either because it has no opening tag or because it closes all. */
    private void bogus(TagName name, int start, int end) {
        HtmlNode parent = HtmlNode.open(closing);
        if (parent == null) {
            parent = Objects.requireNonNull(root, "the root is made by the first tag");
        }
        HtmlNode stray = new HtmlNode(HtmlNode.Kind.STRAY, name, start);
        stray.contentStart = end;
        stray.closing = new HtmlNode.Closing(start, end);
        nodes.add(stray);
        parent.add(stray);
        current = parent;
        lastParent = parent.parent;
    }

    /** Returns the innermost open tag with that name; every tag below it closes with it. */
    private @Nullable HtmlNode openMatch(HtmlNode innermost, TagName name) {
        if (!open.has(name)) {
            return null;
        }
        HtmlNode node = HtmlNode.open(innermost);
        while (node != null && !node.hasName(name)) {
            node = HtmlNode.open(node.parent);
        }
        return node;
    }

    /** Closes the tags from {@code innermost} up to {@code outermost}, or all if that is null. */
    private void end(HtmlNode innermost, @Nullable HtmlNode outermost, int start, int end) {
        HtmlNode.Closing position = new HtmlNode.Closing(start, end);
        HtmlNode node = innermost;
        if (innermost.isClosed() && innermost != outermost) {
            if (innermost == againFrom && againTo != null && againTo.closing != null) {
                // Each of many tags may close the same tags again. Those up to againTo share a position.
                position = againTo.closing;
                position.start = start;
                position.end = end;
                innermost.closing = position;
                node = againTo.parent;
            }
            againFrom = innermost;
            againTo = outermost;
        }
        for (; node != null; node = node == outermost ? null : node.parent) {
            end(node, position);
        }
    }

    private void end(HtmlNode node, HtmlNode.Closing position) {
        if (!node.isClosed()) {
            open.closed(node.tagName);
        }
        node.closing = position;
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

    /** Ends the innermost open tag with the input. The text after the last child of the others is lost. */
    void finish(int end) {
        if (!lost && current != null && !current.isClosed()) {
            end(current, current, end, end);
        }
    }

    @Nullable
    HtmlNode root() {
        return root;
    }

    /** Returns all tags, including implied ones; parents come before their children. */
    List<HtmlNode> nodes() {
        return nodes;
    }

    /** Returns the style sheets that a closing tag ends, in the order of these tags. */
    List<HtmlNode> sheets() {
        return sheets;
    }

    int tagsCount() {
        return tagsCount;
    }

    /** Returns the position at which the limit ended the reading of markup, or -1. */
    int textFrom() {
        return textFrom;
    }

    private void push(HtmlNode node) {
        open.opened(node.tagName);
        current = node;
    }

    private HtmlNode openVirtual() {
        HtmlNode html = new HtmlNode(HtmlNode.Kind.VIRTUAL, TagName.HTML, 0);
        root = html;
        nodes.add(html);
        open.opened(html.tagName);
        return html;
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
        if (parent != null && (parent.isTag(TagName.HEAD) || !parent.headModel)) {
            // This includes the root: the text after its last child is lost unless a closing tag follows.
            end(parent, parent, node.start, node.contentStart);
            state = State.BODY;
        } else if (node.isTag(TagName.BODY)) {
            state = State.BODY;
        } else {
            node.headModel = true;
        }
    }
}
