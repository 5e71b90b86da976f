package dev.weir.hash.html;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.bytes.ByteSearch;
import dev.weir.hash.effort.Effort;
import dev.weir.hash.html.css.Display;
import dev.weir.hash.html.css.Style.Visibility;
import dev.weir.hash.text.TextException;
import dev.weir.hash.url.FoundUrl;
import dev.weir.hash.url.UrlFinder;

/**
 * Writes down what a reader sees (docs/reference/hashing.md#html). Walks the tree with a stack of its own: mail nests
 * as deep as it likes.
 */
final class TextCollector {
    /** What one tag costs, counted as {@link Effort#spend} does. */
    private static final int STEPS = 64;
    /** Bytes of a link's text that are looked at. */
    private static final int MAX_LABEL = 4096;
    /** Shorter texts of links show no URL: {@code t.co} has words. Bytes. */
    private static final int SHORTEST_SHOWN_URL = 5;

    private final byte[] html;
    private final UrlFinder urls;
    private final TextBuffer visible;
    private final TextBuffer hidden = new TextBuffer(256);
    private final List<TextException> displayedUrls = new ArrayList<>();
    private final Deque<Frame> open = new ArrayDeque<>();
    private final Effort effort;
    /** Behind the last byte of the visible text that is no white space. */
    private int inkEnd;
    /** How far the input was written down: what stands before is read again if some markup makes it. */
    private int writtenTo;

    /** An element whose text is being collected. */
    private static final class Frame {
        final HtmlNode node;
        final boolean seen;
        final boolean transparent;
        /** Where the text begins, with and without the margin in front of it. */
        final int start;
        final int textStart;
        int child;
        int cursor;
        /** Where the first byte stands that is no white space; negative if there is none yet. */
        int firstInk = -1;

        Frame(HtmlNode node, boolean seen, boolean transparent, int start, int textStart) {
            this.node = node;
            this.start = start;
            this.seen = seen;
            this.transparent = transparent;
            this.textStart = textStart;
            this.cursor = node.contentStart;
        }
    }

    TextCollector(byte[] html, UrlFinder urls, Effort effort) {
        this.html = html;
        this.urls = urls;
        this.effort = effort;
        this.visible = new TextBuffer(Math.max(64, html.length / 4));
    }

    /** Collects the text of the tree below {@code root}. */
    void collect(HtmlNode root) {
        enter(root);
        while (!open.isEmpty()) {
            effort.spend(STEPS);
            step(open.peek());
        }
    }

    /** Appends markup that was not read as such. */
    void appendRaw(int from, int to) {
        visible.append(html, from, to);
    }

    private void step(Frame frame) {
        HtmlNode node = frame.node;
        if (frame.child == node.childCount()) {
            run(frame, node.closeStart);
            open.pop();
            leave(frame);
            return;
        }
        HtmlNode child = node.child(frame.child++);
        run(frame, child.start);
        frame.cursor = Math.max(frame.cursor, child.closeEnd);
        enter(child);
    }

    private void enter(HtmlNode node) {
        if (node.ignored || node.headModel) {
            return;
        }
        if (node.isTag(TagName.BR) || node.isTag(TagName.HR)) {
            visible.append('\n');
        } else if (node.isTag(TagName.IMG)) {
            appendAlternative(node);
        } else if (node.kind == HtmlNode.Kind.STRAY || node.is(Model.EMPTY)) {
            if (visibility(node) == Visibility.VISIBLE) {
                margin(node, visible.length());
            }
        } else if (node.kind == HtmlNode.Kind.TAG || node.parent == null) {
            int before = visible.length();
            Visibility visibility = visibility(node);
            boolean seen = visibility != Visibility.INVISIBLE;
            boolean transparent = visibility == Visibility.TRANSPARENT;
            if (seen && !transparent) {
                margin(node, before);
            }
            open.push(new Frame(node, seen, transparent, before, visible.length()));
        }
    }

    private static Visibility visibility(HtmlNode node) {
        return node.style == null ? Visibility.VISIBLE : node.style.visibility();
    }

    private void leave(Frame frame) {
        Frame parent = open.peek();
        if (parent != null && parent.firstInk < 0) {
            parent.firstInk = frame.firstInk;
        }
        if (!frame.seen) {
            return;
        }
        if (frame.node.url != null) {
            readLabel(frame);
        }
        if (!frame.transparent) {
            margin(frame.node, frame.textStart);
        }
    }

    private void margin(HtmlNode node, int since) {
        if (node.style == null) {
            return;
        }
        Display display = node.style.display();
        if (display == Display.BLOCK) {
            margin('\n', since);
        } else if (display == Display.TABLE_ROW) {
            margin(' ', since);
        }
    }

    private void margin(char margin, int since) {
        int length = visible.length();
        if (length == 0 || visible.at(length - 1) == margin || visible.at(length - 1) == '\n') {
            return;
        }
        while (length > since && visible.at(length - 1) == ' ') {
            length--;
        }
        visible.truncate(length);
        visible.append(margin);
    }

    private void run(Frame frame, int end) {
        int from = frame.cursor;
        if (end <= from) {
            return;
        }
        effort.repeat(Math.max(0, Math.min(end, writtenTo) - from));
        writtenTo = Math.max(writtenTo, end);
        TextBuffer out = frame.seen ? visible : hidden;
        if (!frame.seen) {
            hidden.truncate(0);
        }
        int before = out.length();
        if (Ascii.isHtmlSpace(html[from])) {
            if (before > 0 && !out.endsWithSpace()) {
                out.append(' ');
                from++;
            }
        }
        byte[] text = html;
        int to = end;
        if (ByteSearch.indexOf(html, from, end, '\0') < end) {
            TextBuffer clean = new TextBuffer(end - from);
            clean.appendWithoutNul(html, from, end);
            text = clean.toBytes();
            from = 0;
            to = text.length;
        }
        EntityDecoder.decodeFolding(text, from, to, out);
        if (frame.transparent) {
            out.blank(before);
        } else if (frame.seen) {
            noteInk(frame, before);
        }
    }

    /** Remembers what was just written into {@code frame}: links are nested, and each would search its text again. */
    private void noteInk(Frame frame, int from) {
        int first = from;
        int end = visible.length();
        while (end > first && Ascii.isHtmlSpace(visible.at(end - 1))) {
            end--;
        }
        if (end == first) {
            return;
        }
        inkEnd = end;
        if (frame.firstInk < 0) {
            while (Ascii.isHtmlSpace(visible.at(first))) {
                first++;
            }
            frame.firstInk = first;
        }
    }

    private void appendAlternative(HtmlNode image) {
        byte[] alternative = image.attribute(Attribute.ALT);
        Frame frame = open.peek();
        if (frame != null && !frame.seen) {
            return;
        }
        Visibility visibility = visibility(image);
        if (visibility == Visibility.INVISIBLE) {
            return;
        }
        if (visibility == Visibility.VISIBLE) {
            margin(image, visible.length());
        }
        if (alternative == null) {
            return;
        }
        if (visible.length() > 0 && !visible.endsWithSpace()) {
            visible.append(' ');
        }
        int before = visible.length();
        visible.append(alternative);
        if (frame != null) {
            noteInk(frame, before);
        }
        if (!visible.endsWithSpace()) {
            visible.append(' ');
        }
    }

    private void readLabel(Frame frame) {
        int from = frame.firstInk;
        int to = inkEnd;
        if (from < 0) {
            return;
        }
        // A link may hold the whole document, and links may be nested: only the beginning is looked at.
        int labelEnd = Math.min(to, from + MAX_LABEL);
        frame.node.labelStart = from;
        frame.node.labelEnd = labelEnd;
        FoundUrl found = frame.node.isTag(TagName.A) && labelEnd - from >= SHORTEST_SHOWN_URL
                ? urls.atStart(visible.slice(from, labelEnd), effort)
                : null;
        if (found != null) {
            frame.node.shownDomain = found.domain();
            // As long as the label, but from where the element begins: white space and a margin in front of it count.
            displayedUrls.add(new TextException(frame.start, to - from, found.domain()));
        }
    }

    /** The text so far, its white space at the end cut down to one line break if there was one. */
    byte[] text() {
        int length = visible.length();
        boolean line = length > 0 && visible.at(length - 1) == '\n';
        while (length > 0 && Ascii.isHtmlSpace(visible.at(length - 1))) {
            length--;
        }
        if (line) {
            length++;
            byte[] text = visible.slice(0, length);
            text[length - 1] = '\n';
            return text;
        }
        return visible.slice(0, length);
    }

    /** Texts of links that show a URL, by their place in the collected text. */
    List<TextException> displayedUrls() {
        return List.copyOf(displayedUrls);
    }
}
