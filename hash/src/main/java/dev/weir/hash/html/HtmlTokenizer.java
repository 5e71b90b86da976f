package dev.weir.hash.html;

import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.bytes.ByteSearch;
import dev.weir.hash.release.Release;
import org.jspecify.annotations.Nullable;

/**
 * A one-pass HTML tokenizer, as lenient as Rspamd's (docs/reference/hashing.md#html), that passes tags to a
 * {@link TreeBuilder}. It does not pass text, which is the input between the tags.
 *
 * <p>If the input ends inside a tag, that tag is dropped and open tags stay without an end. The text after their last
 * child is lost, as in Rspamd.
 */
final class HtmlTokenizer {
    /** Cost of one tag, in units of {@code Effort.spend}. */
    private static final int STEPS = 64;
    private static final int MAX_ATTRIBUTES_PER_TAG = 128;
    /** Maximum distance in bytes from {@code </} to the end of a tag that ends raw text. */
    private static final int RAW_END_WINDOW = 30;

    private final byte[] html;
    private final int end;
    private final TreeBuilder tree;
    private final HtmlBudget budget;
    private final Release like;
    /** Positions after which the input has no closing quote of each kind, so that it is searched only once. */
    private int noDoubleQuoteFrom = Integer.MAX_VALUE;
    private int noSingleQuoteFrom = Integer.MAX_VALUE;

    HtmlTokenizer(byte[] html, int end, TreeBuilder tree, HtmlBudget budget, Release like) {
        this.html = html;
        this.end = end;
        this.tree = tree;
        this.budget = budget;
        this.like = like;
    }

    /** Reads the input and finishes the tree. */
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

    /**
     * Reads the construct at the {@code <}.
     *
     * @return position at which to continue, or negative if the input ended inside the construct
     */
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
        // Skip a second slash: a construct such as <//example.org/> is not text.
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
    /** The next attribute name begins with a slash, so the attribute has no meaning. */
    private boolean nameBroken;

    /**
     * Reads attributes up to the end of the tag.
     *
     * @return position of the {@code >}, or -1
     */
    private int attributes(int from, @Nullable HtmlNode node) {
        selfClosing = false;
        nameBroken = false;
        int count = 0;
        // A slash directly after the name only separates; a later one announces the end.
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
     * Handles a slash that does not end the tag. It belongs to the next name, and so does the byte after it even if
     * that is white space: the {@code alt} of {@code <img src="x" / alt="y">} is lost.
     *
     * @return position at which that name continues
     */
    private int breakName(int slash) {
        nameBroken = true;
        int second = slash + 1;
        return second < end && (html[second] == '/' || Ascii.isHtmlSpace(html[second])) ? second + 1 : second;
    }

    /**
     * Reads one attribute.
     *
     * @return position after it
     */
    private int attribute(int from, @Nullable HtmlNode node) {
        int i = from;
        while (i < end && html[i] != '=' && html[i] != '/' && html[i] != '>' && !Ascii.isHtmlSpace(html[i])) {
            i++;
        }
        int nameEnd = i;
        int behindSpaces = skipSpaces(i);
        if (behindSpaces == end || html[behindSpaces] != '=') {
            keep(node, from, nameEnd, nameEnd, nameEnd, false);
            // A slash after white space does not count: <br clear /> is not self-closed.
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
                // The tag ends here, and an attribute without an end has no value.
                return findOrEnd('>', valueStart);
            }
            if (closing > valueStart || like != Release.V3_4) {
                // The older release drops a="" while it keeps a alone.
                keep(node, from, nameEnd, valueStart, closing, false);
            }
            return closing + 1;
        }
        int valueStart = i;
        boolean slash = false;
        while (i < end && html[i] != '>' && html[i] != '"' && !Ascii.isHtmlSpace(html[i])
                && !(html[i] == '/' && i + 1 < end && html[i + 1] == '>')) {
            // The second of two slashes is an ordinary character.
            slash = html[i] == '/' && !slash;
            i++;
        }
        if (i > valueStart) {
            keep(node, from, nameEnd, valueStart, i, true);
        }
        // The slash at the end of href=http://example.com/ corrupts the attribute after it.
        return slash && i < end && Ascii.isHtmlSpace(html[i]) ? breakName(i - 1) : i;
    }

    /**
     * Stores an attribute. In 3.4 the first letter of an unquoted value becomes lower case: {@code alt=Logo} yields
     * {@code logo}.
     */
    private void keep(@Nullable HtmlNode node, int from, int nameEnd, int valueStart, int valueEnd, boolean bare) {
        if (node == null) {
            return;
        }
        Attribute attribute = Attribute.read(html, from, nameEnd);
        if (attribute == null) {
            return;
        }
        byte[] bytes = valueOf(valueStart, valueEnd);
        if (bare && like == Release.V3_4 && bytes.length > 0) {
            bytes[0] = (byte) Ascii.lower(bytes[0]);
        }
        if (attribute == Attribute.CLASS || attribute == Attribute.ID) {
            Ascii.lower(bytes);
        }
        node.attribute(attribute, bytes);
    }

    /** Returns the decoded value of an attribute. */
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

    /** Reads raw text, which ends at {@code </}, a letter, and a {@code >} not far after it. */
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

    /** Reads {@code <? … ?>}. If the {@code >} has no question mark before it, all of it is text. */
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
