package dev.weir.hash.html;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

import dev.weir.hash.bytes.ByteSearch;
import dev.weir.hash.html.css.Display;
import dev.weir.hash.html.css.Style.Visibility;
import dev.weir.hash.text.TextException;
import dev.weir.hash.url.FoundUrl;
import dev.weir.hash.url.UrlFinder;

/**
 * Writes down what a reader sees (hashing specification 2.1, "Collecting text"). Walks the tree with a stack of its own:
 * mail nests as deep as it likes.
 */
final class TextCollector {
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

    /** An element whose text is being collected. */
    private static final class Frame {
        final Node node;
        final boolean seen;
        final boolean transparent;
        /** Where the text begins, with and without the margin in front of it. */
        final int start;
        final int textStart;
        int child;
        int cursor;

        Frame(Node node, boolean seen, boolean transparent, int start, int textStart) {
            this.node = node;
            this.start = start;
            this.seen = seen;
            this.transparent = transparent;
            this.textStart = textStart;
            this.cursor = node.contentStart;
        }
    }

    TextCollector(byte[] html, UrlFinder urls) {
        this.html = html;
        this.urls = urls;
        this.visible = new TextBuffer(Math.max(64, html.length / 4));
    }

    /** Collects the text of the tree below {@code root}. */
    void collect(Node root) {
        enter(root);
        while (!open.isEmpty()) {
            step(open.peek());
        }
    }

    /** Appends markup that was not read as such. */
    void appendRaw(int from, int to) {
        visible.append(html, from, to);
    }

    private void step(Frame frame) {
        Node node = frame.node;
        if (frame.child == node.childCount()) {
            run(frame, node.closeStart);
            open.pop();
            leave(frame);
            return;
        }
        Node child = node.child(frame.child++);
        run(frame, child.start);
        frame.cursor = Math.max(frame.cursor, child.closeEnd);
        enter(child);
    }

    private void enter(Node node) {
        if (node.ignored || node.headModel) {
            return;
        }
        if (node.isTag(TagName.BR) || node.isTag(TagName.HR)) {
            visible.append('\n');
        } else if (node.isTag(TagName.IMG)) {
            appendAlternative(node);
        } else if (node.kind == Node.Kind.STRAY || node.is(Model.EMPTY)) {
            if (visibility(node) == Visibility.VISIBLE) {
                margin(node, visible.length());
            }
        } else if (node.kind == Node.Kind.TAG || node.parent == null) {
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

    private static Visibility visibility(Node node) {
        return node.style == null ? Visibility.VISIBLE : node.style.visibility();
    }

    private void leave(Frame frame) {
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

    private void margin(Node node, int since) {
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
        TextBuffer out = frame.seen ? visible : hidden;
        if (!frame.seen) {
            hidden.truncate(0);
        }
        int before = out.length();
        if (Ascii.isSpace(html[from])) {
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
        }
    }

    private void appendAlternative(Node image) {
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
        visible.append(alternative);
        if (!visible.endsWithSpace()) {
            visible.append(' ');
        }
    }

    private void readLabel(Frame frame) {
        int from = frame.textStart;
        int to = visible.length();
        while (from < to && Ascii.isSpace(visible.at(from))) {
            from++;
        }
        while (to > from && Ascii.isSpace(visible.at(to - 1))) {
            to--;
        }
        if (from >= to) {
            return;
        }
        // A link may hold the whole document, and links may be nested: only the beginning is copied.
        byte[] label = visible.slice(from, Math.min(to, from + MAX_LABEL));
        frame.node.label = new String(label, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT);
        FoundUrl found = frame.node.isTag(TagName.A) && label.length >= SHORTEST_SHOWN_URL ? urls.atStart(label) : null;
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
        while (length > 0 && Ascii.isSpace(visible.at(length - 1))) {
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
