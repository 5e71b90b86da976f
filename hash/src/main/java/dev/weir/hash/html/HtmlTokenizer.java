package dev.weir.hash.html;

import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.bytes.ByteSearch;
import org.jspecify.annotations.Nullable;

/**
 * Cuts HTML into tags in one pass, as forgivingly as Rspamd does (docs/reference/hashing.md#html), and hands them to a
 * {@link TreeBuilder}. Text is not handed over: it is what lies between the tags.
 *
 * <p>Where markup breaks off in the middle of a tag at the end of the input, the tag is dropped and the tags that are
 * still open stay without an end, so that the text behind their last child is lost, as in the reference.
 */
final class HtmlTokenizer {
    /** What one tag costs, counted as {@code Effort.spend} does. */
    private static final int STEPS = 64;
    private static final int MAX_ATTRIBUTES_PER_TAG = 128;
    /** How far from {@code </} the end of a tag may be that ends raw text, in bytes. */
    private static final int RAW_END_WINDOW = 30;

    private final byte[] html;
    private final int end;
    private final TreeBuilder tree;
    private final HtmlBudget budget;
    /** The value's closing quotes to come are searched once: behind these places there is none. */
    private int noDoubleQuoteFrom = Integer.MAX_VALUE;
    private int noSingleQuoteFrom = Integer.MAX_VALUE;

    HtmlTokenizer(byte[] html, int end, TreeBuilder tree, HtmlBudget budget) {
        this.html = html;
        this.end = end;
        this.tree = tree;
        this.budget = budget;
    }

    /** Reads everything and finishes the tree. */
    void run() {
        int at = 0;
        if (end > 0 && html[0] != '<') {
            tree.openSynthetic();
        }
        while (at < end) {
            int tag = find('<', at);
            if (tag < 0) {
                break;
            }
            byte kind = tag + 1 < end ? html[tag + 1] : 0;
            boolean opens = kind == '!' || kind == '?' || Ascii.isLetter(kind);
            if (opens ? tree.isFull() : tree.isClogged()) {
                tree.restIsText(kind == '!' || kind == '?' ? tag + 2 : tag + 1);
                return;
            }
            int next = kind == 0 ? tag + 1 : construct(tag);
            budget.effort().spend(STEPS);
            if (next < 0) {
                tree.breakOff();
                return;
            }
            at = next;
        }
        tree.finish(end);
    }

    /** Reads what begins at the {@code <}; returns where to go on, negative if the input ended in the middle. */
    private int construct(int tag) {
        byte b = html[tag + 1];
        if (Ascii.isLetter(b)) {
            return openingTag(tag);
        }
        return switch (b) {
            case '/' -> closingTag(tag);
            case '!' -> declaration(tag);
            case '?' -> processingInstruction(tag);
            default -> tag + 1;
        };
    }

    private int openingTag(int tag) {
        int nameEnd = nameEnd(tag + 1);
        if (nameEnd == end) {
            return -1;
        }
        HtmlNode node = new HtmlNode(HtmlNode.Kind.TAG, TagName.read(html, tag + 1, nameEnd), tag);
        int close = attributes(nameEnd, node);
        if (close < 0) {
            return -1;
        }
        int after = close + 1;
        boolean selfClosed = selfClosing;
        tree.open(node, after, selfClosed);
        if (node.is(Model.RAW)) {
            return rawText(after);
        }
        return after;
    }

    private int closingTag(int tag) {
        if (tag + 2 >= end) {
            return -1;
        }
        // A second slash is passed over: what looks like <//example.org/> is no text.
        int name = html[tag + 2] == '/' && tag + 3 < end ? tag + 3 : tag + 2;
        if (!Ascii.isLetter(html[name])) {
            return tag + 2;
        }
        int nameEnd = nameEnd(name);
        if (nameEnd == end) {
            return -1;
        }
        int close = attributes(nameEnd, null);
        if (close < 0) {
            return -1;
        }
        tree.close(TagName.read(html, name, nameEnd), tag, close + 1);
        return close + 1;
    }

    private int nameEnd(int from) {
        int i = from;
        while (i < end && html[i] != '>' && html[i] != '/' && !Ascii.isHtmlSpace(html[i])) {
            i++;
        }
        return i;
    }

    private boolean selfClosing;
    /** The attribute that comes has a name that begins with a slash, and so one that means nothing. */
    private boolean nameBroken;

    /** Reads attributes up to the end of the tag; returns where its {@code >} stands, or -1. */
    private int attributes(int from, @Nullable HtmlNode node) {
        selfClosing = false;
        nameBroken = false;
        int count = 0;
        // A slash directly behind the name separates only; later ones announce the end.
        int i = html[from] == '/' ? from + 1 : from;
        while (i < end) {
            byte b = html[i];
            if (b == '>') {
                return i;
            }
            if (b == '/') {
                int behind = skipSpaces(i + 1);
                if (behind < end && html[behind] == '>') {
                    selfClosing = true;
                    return behind;
                }
                i = breakName(i);
            } else if (Ascii.isHtmlSpace(b)) {
                nameBroken = false;
                i++;
            } else {
                count++;
                boolean keep = node != null && !nameBroken && count <= MAX_ATTRIBUTES_PER_TAG && budget.takeAttribute();
                nameBroken = false;
                i = attribute(i, keep ? node : null);
            }
        }
        return -1;
    }

    /**
     * A slash that does not end the tag belongs to the name that follows, and so does the byte behind it even if it is
     * white space: the {@code alt} of {@code <img src="x" / alt="y">} is lost. Returns where that name goes on.
     */
    private int breakName(int slash) {
        nameBroken = true;
        int second = slash + 1;
        return second < end && (html[second] == '/' || Ascii.isHtmlSpace(html[second])) ? second + 1 : second;
    }

    /** Reads one attribute; returns the first place behind it. */
    private int attribute(int from, @Nullable HtmlNode node) {
        int i = from;
        while (i < end && html[i] != '=' && html[i] != '/' && html[i] != '>' && !Ascii.isHtmlSpace(html[i])) {
            i++;
        }
        int nameEnd = i;
        int behindSpaces = skipSpaces(i);
        if (behindSpaces == end || html[behindSpaces] != '=') {
            keep(node, from, nameEnd, nameEnd, nameEnd, false);
            // A slash behind white space is part of nothing: <br clear /> is not self-closed.
            return behindSpaces > i && behindSpaces < end && html[behindSpaces] == '/'
                    ? behindSpaces + 1
                    : behindSpaces;
        }
        i = skipSpaces(behindSpaces + 1);
        if (i == end) {
            return end;
        }
        byte quote = html[i];
        if (quote == '"' || quote == '\'') {
            int valueStart = i + 1;
            int closing = closingQuote(quote, valueStart);
            if (closing < 0) {
                // The tag ends at once, and an attribute with an open end has no value.
                return findOrEnd('>', valueStart);
            }
            keepNonEmpty(node, from, nameEnd, valueStart, closing, false);
            return closing + 1;
        }
        int valueStart = i;
        boolean slash = false;
        while (i < end && html[i] != '>' && html[i] != '"' && !Ascii.isHtmlSpace(html[i])
                && !(html[i] == '/' && i + 1 < end && html[i + 1] == '>')) {
            // The second of two slashes is a letter like others.
            slash = html[i] == '/' && !slash;
            i++;
        }
        keepNonEmpty(node, from, nameEnd, valueStart, i, true);
        // The slash that ends href=http://example.com/ spoils the attribute after it.
        return slash && i < end && Ascii.isHtmlSpace(html[i]) ? breakName(i - 1) : i;
    }

    /** {@code a=""} is no attribute at all, while {@code a} alone is one. */
    private void keepNonEmpty(@Nullable HtmlNode node, int from, int nameEnd, int valueStart, int valueEnd,
            boolean bare) {
        if (valueEnd > valueStart) {
            keep(node, from, nameEnd, valueStart, valueEnd, bare);
        }
    }

    /** The first letter of a value without quotes becomes small: {@code alt=Logo} reads {@code logo}. */
    private void keep(@Nullable HtmlNode node, int from, int nameEnd, int valueStart, int valueEnd, boolean bare) {
        if (node == null) {
            return;
        }
        Attribute attribute = Attribute.read(html, from, nameEnd);
        if (attribute == null) {
            return;
        }
        byte[] bytes = valueOf(valueStart, valueEnd);
        if (bare && bytes.length > 0) {
            bytes[0] = (byte) Ascii.lower(bytes[0]);
        }
        if (attribute == Attribute.CLASS || attribute == Attribute.ID) {
            Ascii.lower(bytes);
        }
        node.attribute(attribute, bytes);
    }

    /** The value of an attribute, decoded. */
    private byte[] valueOf(int from, int to) {
        if (ByteSearch.indexOf(html, from, to, '\0') == to) {
            return EntityDecoder.decode(html, from, to);
        }
        TextBuffer withoutNul = new TextBuffer(to - from + 1);
        withoutNul.appendWithoutNul(html, from, to);
        byte[] raw = withoutNul.toBytes();
        return EntityDecoder.decode(raw, 0, raw.length);
    }

    private int closingQuote(byte quote, int from) {
        if (from >= (quote == '"' ? noDoubleQuoteFrom : noSingleQuoteFrom)) {
            return -1;
        }
        int found = find((char) quote, from);
        if (found < 0) {
            if (quote == '"') {
                noDoubleQuoteFrom = from;
            } else {
                noSingleQuoteFrom = from;
            }
        }
        return found;
    }

    /** Raw text ends at {@code </}, a letter, and a {@code >} not far behind. */
    private int rawText(int from) {
        for (int i = findOrEnd('<', from); i + 2 < end; i = findOrEnd('<', i + 1)) {
            if (html[i + 1] == '/' && Ascii.isLetter(html[i + 2]) && rawEnds(i + 2)) {
                return i;
            }
        }
        return end;
    }

    private boolean rawEnds(int from) {
        for (int i = from; i < Math.min(end, from + RAW_END_WINDOW); i++) {
            byte b = html[i];
            if (b == '>') {
                return true;
            }
            if ((b >= 0 && b < '\n') || b == ',') {
                return false;
            }
        }
        return false;
    }

    private int declaration(int tag) {
        int i = tag + 2;
        if (i >= end) {
            return -1;
        }
        if (html[i] == '-') {
            if (i + 1 >= end) {
                return -1;
            }
            if (html[i + 1] != '-' || (i + 2 < end && html[i + 2] == '>')) {
                tree.abandoned(new HtmlNode(HtmlNode.Kind.COMMENT, TagName.NONE, tag));
                return i + 1;
            }
            return comment(tag, i + 2);
        }
        int close = html[i] == '[' ? balancedEnd(i) : findOrEnd('>', i);
        if (close == end) {
            return -1;
        }
        tree.open(new HtmlNode(HtmlNode.Kind.DECLARATION, TagName.NONE, tag), close + 1, true);
        return close + 1;
    }

    private int comment(int tag, int from) {
        if (from + 1 < end && html[from] == '-' && html[from + 1] == '>') {
            tree.abandoned(new HtmlNode(HtmlNode.Kind.COMMENT, TagName.NONE, tag));
            return from + 1;
        }
        int dashes = 0;
        for (int i = from; i < end; i++) {
            if (html[i] == '-') {
                dashes++;
            } else if (html[i] == '>' && dashes >= 2) {
                tree.open(new HtmlNode(HtmlNode.Kind.COMMENT, TagName.NONE, tag), i + 1, true);
                return i + 1;
            } else {
                dashes = 0;
            }
        }
        return -1;
    }

    private int balancedEnd(int from) {
        int depth = 0;
        for (int i = from; i < end; i++) {
            switch (html[i]) {
                case '[' -> depth++;
                case ']' -> depth--;
                case '>' -> {
                    if (depth == 0) {
                        return i;
                    }
                }
                default -> {
                }
            }
        }
        return end;
    }

    /** {@code <? … ?>}; a {@code >} without the question mark turns all of it into text. */
    private int processingInstruction(int tag) {
        int close = find('>', tag + 2);
        if (close < 0) {
            return -1;
        }
        HtmlNode node = new HtmlNode(HtmlNode.Kind.XML, TagName.NONE, tag);
        if (close > tag + 2 && html[close - 1] == '?') {
            tree.open(node, close + 1, true);
        } else {
            tree.abandoned(node);
        }
        return close + 1;
    }

    private int skipSpaces(int from) {
        int i = from;
        while (i < end && Ascii.isHtmlSpace(html[i])) {
            i++;
        }
        return i;
    }

    private int find(char b, int from) {
        int found = findOrEnd(b, from);
        return found < end ? found : -1;
    }

    private int findOrEnd(char b, int from) {
        return ByteSearch.indexOf(html, from, end, b);
    }
}
