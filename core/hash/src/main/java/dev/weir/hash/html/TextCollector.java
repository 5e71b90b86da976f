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
 * The writer of the visible text (docs/reference/hashing.md#html). It walks the tree with an explicit stack, because
 * the nesting of a mail is unlimited.
 */
final class TextCollector {
    /** Cost of one tag, in units of {@link Effort#spend}. */
    private static final int STEPS = 64;
    /** Maximum number of bytes examined in the text of a link. */
    private static final int MAX_LABEL = 4096;
    /** Minimum length in bytes of a link text that can display a URL; {@code t.co} also occurs in ordinary words. */
    private static final int SHORTEST_SHOWN_URL = 5;

    private final byte[] html;
    private final boolean hasNul;
    private final UrlFinder urls;
    private final TextBuffer visible;
    private final List<TextException> displayedUrls = new ArrayList<>();
    private final List<HiddenRun> hidden = new ArrayList<>();
    private final Deque<Frame> open = new ArrayDeque<>();
    private final Effort effort;
    /** Position after the last visible byte that is not white space or of width zero. */
    private int inkEnd;
    /** Position up to which the input was written. Markup may cause earlier input to be read again. */
    private int writtenTo;

    /** An element in progress. */
    private static final class Frame {
        final HtmlNode node;
        final boolean seen;
        final boolean transparent;
        /** Start of the text, with and without the margin before it. */
        final int start;
        final int textStart;
        int child;
        int cursor;
        /** Position of the first byte that is not white space; negative if there is none yet. */
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
        this.hasNul = ByteSearch.indexOf(html, 0, html.length, '\0') < html.length;
        this.urls = urls;
        this.effort = effort;
        this.visible = new TextBuffer(Math.max(64, html.length / 4));
    }

    /** Collects the text of the tree under {@code root}. */
    void collect(HtmlNode root) {
        enter(root);
        while (!open.isEmpty()) {
            effort.spend(STEPS);
            step(open.peek());
        }
    }

    /** Appends markup that is treated as text. */
    void appendRaw(int from, int to) {
        visible.append(html, from, to);
    }

    private void step(Frame frame) {
        HtmlNode node = frame.node;
        if (frame.child == node.childCount()) {
            run(frame, node.closeStart());
            open.pop();
            leave(frame);
            return;
        }
        HtmlNode child = node.child(frame.child++);
        run(frame, child.start);
        // The text of a tag without an end belongs to its parent, with all markup in it.
        frame.cursor = Math.max(frame.cursor, child.closeEnd());
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
            boolean ignored = node.kind == HtmlNode.Kind.STRAY && node.is(Model.EMPTY);
            if (!ignored && visibility(node) == Visibility.VISIBLE) {
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
        // Rspamd appends nothing more once the text is longer than the input, which repeated text can cause.
        if (!frame.seen || visible.length() > html.length) {
            hidden.add(new HiddenRun(frame.node, from, end));
            return;
        }
        int before = visible.length();
        if (Ascii.isHtmlSpace(html[from])) {
            if (before > 0 && !visible.endsWithSpace()) {
                visible.append(' ');
                from++;
            }
        }
        byte[] text = html;
        int to = end;
        if (hasNul && ByteSearch.indexOf(html, from, end, '\0') < end) {
            TextBuffer clean = new TextBuffer(end - from);
            clean.appendWithoutNul(html, from, end);
            text = clean.toBytes();
            from = 0;
            to = text.length;
        }
        EntityDecoder.decodeFolding(text, from, to, visible);
        if (frame.transparent) {
            visible.blank(before);
            hidden.add(new HiddenRun(frame.node, frame.cursor, end));
        } else {
            noteInk(frame, before);
        }
    }

    /**
     * Records in {@code frame} what was just written. Links can be nested, and each would otherwise search its text
     * again. Rspamd trims a link text by the white space of Unicode and by characters of width zero.
     */
    private void noteInk(Frame frame, int from) {
        int end = visible.length();
        while (end > from && visible.blankBefore(end) > 0) {
            end -= visible.blankBefore(end);
        }
        if (end <= from) {
            return;
        }
        inkEnd = end;
        if (frame.firstInk < 0) {
            int first = from;
            while (visible.blankAt(first) > 0) {
                first += visible.blankAt(first);
            }
            frame.firstInk = first;
        }
    }

    private void appendAlternative(HtmlNode image) {
        byte[] alternative = image.attribute(Attribute.ALT);
        Frame frame = open.peek();
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
        if (visible.length() > 0 && !visible.endsWithSpace()) {
            visible.append(' ');
        }
    }

    private void readLabel(Frame frame) {
        int from = frame.firstInk;
        int to = inkEnd;
        if (from < 0) {
            return;
        }
        // A link may contain the whole document, and links may be nested, so only the beginning is examined.
        int labelEnd = Math.min(to, from + MAX_LABEL);
        frame.node.labelStart = from;
        frame.node.labelEnd = labelEnd;
        FoundUrl found = frame.node.isTag(TagName.A) && labelEnd - from >= SHORTEST_SHOWN_URL
                ? urls.atStart(visible.slice(from, labelEnd), effort)
                : null;
        if (found != null) {
            frame.node.shownDomain = found.domain();
            // The range is as long as the label but starts at the element, including its white space and margin.
            displayedUrls.add(new TextException(frame.start, to - from, found.domain()));
        }
    }

    /** Returns the text so far, with trailing white space reduced to one line break if it contained any. */
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

    /** Returns the texts that are not displayed, in document order. */
    List<HiddenRun> hidden() {
        return hidden;
    }

    /** Returns the link texts that display a URL, by their position in the collected text. */
    List<TextException> displayedUrls() {
        return List.copyOf(displayedUrls);
    }
}
