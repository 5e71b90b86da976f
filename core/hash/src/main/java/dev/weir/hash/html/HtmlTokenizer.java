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
            int tag = html[at] == '<' ? at : find('<', at);
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
            case '!' -> declaration(tag, tag + 2);
            case '?' -> processingInstruction(tag, tag + 2);
            default -> tag + 1;
        };
    }

    private int openingTag(int tag) {
        int nameEnd = nameEnd(tag + 1);
        if (nameEnd == end) {
            tree.unfinished(new HtmlNode(HtmlNode.Kind.TAG, TagName.NONE, tag));
            return -1;
        }
        HtmlNode node = new HtmlNode(HtmlNode.Kind.TAG, TagName.read(html, tag + 1, nameEnd), tag);
        int close = attributes(nameEnd, node);
        if (close < 0) {
            tree.unfinished(node);
            return -1;
        }
        int after = close + 1;
        // A slash directly after the name closes an unknown tag only, whatever follows it.
        boolean selfClosed = selfClosing || (html[nameEnd] == '/' && node.type == null);
        tree.open(node, after, selfClosed);
        if (node.is(Model.RAW)) {
            return rawText(after);
        }
        return after;
    }

    /** Reads what follows {@code </}. Without a name it may still be a comment or an instruction; else it is text. */
    private int closingTag(int tag) {
        int name = tag + 2;
        tree.beginClosing();
        while (name < end && html[name] == '/') {
            tree.beginClosing();
            name++;
        }
        if (name >= end) {
            return -1;
        }
        if (html[name] == '!' || html[name] == '?') {
            return html[name] == '!' ? declaration(tag, name + 1) : processingInstruction(tag, name + 1);
        }
        if (!Ascii.isLetter(html[name])) {
            return name;
        }
        int nameEnd = nameEnd(name);
        if (nameEnd == end) {
            return -1;
        }
        int close = attributes(nameEnd, null);
        if (close < 0) {
            return -1;
        }
        if (!tree.close(TagName.read(html, name, nameEnd), tag, close + 1)) {
            tree.restIsText(close);
            return -1;
        }
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
    /** Number of attributes of the tag so far. */
    private int attributeCount;

    /** What comes before the next attribute name. */
    private enum Before {
        SPACE,
        SLASH,
        /** Something that belongs to the name, so that the attribute has no meaning. */
        NAME,
        NAME_AND_SLASH
    }

    private Before before = Before.SPACE;

    /**
     * Reads attributes up to the end of the tag.
     *
     * @return position of the {@code >}, or -1
     */
    private int attributes(int from, @Nullable HtmlNode node) {
        selfClosing = false;
        attributeCount = 0;
        before = Before.SPACE;
        // A slash directly after the name only separates; a later one announces the end.
        int i = skipSpaces(html[from] == '/' ? from + 1 : from);
        while (i < end) {
            boolean broken = before == Before.NAME || before == Before.NAME_AND_SLASH;
            boolean slash = before == Before.SLASH || before == Before.NAME_AND_SLASH;
            if (html[i] == '>') {
                selfClosing |= slash;
                return i;
            }
            if (slash) {
                // The slash swallows the first character of the name.
                i = attribute(i + 1, i + 1, broken, node);
            } else if (html[i] == '/') {
                before = broken ? Before.NAME_AND_SLASH : Before.SLASH;
                i++;
            } else {
                i = attribute(i, i + 1, broken, node);
            }
            i = skipSpaces(i);
        }
        return -1;
    }

    /**
     * Reads one attribute and sets {@link #before}.
     *
     * @param from start of its name
     * @param scan position from which an equals sign or white space ends the name
     * @return position after it
     */
    private int attribute(int from, int scan, boolean broken, @Nullable HtmlNode node) {
        before = Before.SPACE;
        int i = scan;
        while (i < end && html[i] != '=' && html[i] != '/' && html[i] != '>' && !Ascii.isHtmlSpace(html[i])) {
            i++;
        }
        Attribute name = broken || node == null ? null : Attribute.read(html, from, Math.min(i, end));
        boolean named = broken || i > from;
        int next = skipSpaces(i);
        if (next >= end) {
            return end;
        }
        if (html[next] == '=') {
            return value(next, name, named, node);
        }
        keep(node, named, name, i, i, false);
        if (next == i || html[next] == '>') {
            if (html[next] == '/') {
                before = Before.SLASH;
                next++;
            }
            return next;
        }
        // The first character after a name without a value begins a name, even if nothing of a name follows it.
        int second = next + 1;
        if (html[next] == '/' || (second < end
                && (html[second] == '=' || html[second] == '/' || Ascii.isHtmlSpace(html[second])))) {
            before = Before.NAME;
            return second;
        }
        return next;
    }

    private int value(int equals, @Nullable Attribute name, boolean named, @Nullable HtmlNode node) {
        int start = skipSpaces(equals + 1);
        if (start == end) {
            return end;
        }
        byte quote = html[start];
        if (quote != '"' && quote != '\'') {
            return bareValue(start, name, named, node);
        }
        start++;
        int closing = closingQuote(quote, start);
        if (closing < 0) {
            // The tag ends here, and an attribute without an end has no value.
            return findOrEnd('>', start);
        }
        if (closing > start || like != Release.V3_4) {
            // The older release drops a="" while it keeps a alone.
            keep(node, named, name, start, closing, false);
        }
        int next = closing + 1;
        if (closing > start && next < end && html[next] == '/') {
            before = Before.NAME_AND_SLASH;
            next++;
        }
        return next;
    }

    /** Reads a value without quotes. A slash belongs to it with the character behind it, even if that is a space. */
    private int bareValue(int start, @Nullable Attribute name, boolean named, @Nullable HtmlNode node) {
        int i = start;
        if (html[i] == '>') {
            return i;
        }
        i++;
        while (i < end && html[i] != '>' && html[i] != '"' && !Ascii.isHtmlSpace(html[i])) {
            if (html[i] != '/') {
                i++;
            } else if (i + 1 < end && html[i + 1] == '>') {
                selfClosing = true;
                break;
            } else {
                i += 2;
            }
        }
        if (i >= end) {
            return end;
        }
        keep(node, named, name, start, i, true);
        return html[i] == '>' ? i : i + 1;
    }

    /**
     * Stores an attribute. In 3.4 the first letter of an unquoted value becomes lower case: {@code alt=Logo} yields
     * {@code logo}.
     */
    private void keep(@Nullable HtmlNode node, boolean named, @Nullable Attribute attribute, int valueStart,
            int valueEnd, boolean bare) {
        if (node == null || !named || attributeCount == MAX_ATTRIBUTES_PER_TAG || !budget.takeAttribute()) {
            return;
        }
        attributeCount++;
        if (attribute == null) {
            return;
        }
        node.add(attribute, html, valueStart, valueEnd, bare && like == Release.V3_4);
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

    private int declaration(int tag, int i) {
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
    private int processingInstruction(int tag, int from) {
        int close = find('>', from);
        if (close < 0) {
            return -1;
        }
        HtmlNode node = new HtmlNode(HtmlNode.Kind.XML, TagName.NONE, tag);
        if (close > from && html[close - 1] == '?') {
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
