package dev.weir.hash.html.css;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import dev.weir.hash.html.css.CssTokens.Kind;
import dev.weir.hash.html.css.CssTokens.Token;
import dev.weir.hash.release.Release;
import org.jspecify.annotations.Nullable;

/**
 * The rules of all {@code <style>} elements of a document (docs/reference/hashing.md#html). {@link SelectorList}
 * describes which selectors count. At-rules are skipped together with their blocks. Thread-safe after the last
 * {@link #add}.
 */
public final class StyleSheet {
    /** Maximum number of rules per document. */
    private static final int MAX_RULES = 65_536;
    /** The selector of all tags. */
    private static final String ALL = "*";

    /** The rules of tags, and of all tags under {@code *}. */
    private final Map<String, Declarations> tags = new HashMap<>();
    /** The rules of identifiers and classes, by their names. */
    private final Map<String, Declarations> ids = new HashMap<>();
    private final Map<String, Declarations> classes = new HashMap<>();
    /** Styles of tags that have a rule besides that for all tags. */
    private final Map<String, Style> ofBoth = new ConcurrentHashMap<>();
    private final Release like;
    private int count;

    public StyleSheet(Release like) {
        this.like = like;
    }

    /** Adds the content of a {@code <style>} element. Accepts any input. */
    public void add(String css) {
        CssTokens tokens = CssTokens.of(css);
        SelectorList selectors = new SelectorList();
        boolean empty = true;
        for (Token token = tokens.next(); token != null; token = tokens.next()) {
            // An at-rule after a comment mark is parsed as a selector list, and its block as declarations.
            empty &= !tokens.passedMark();
            if (token.kind() == Kind.AT && empty) {
                skipAtRule(tokens);
            } else if (token.is('{')) {
                Declarations block = new Declarations(like);
                block.read(tokens, true);
                if (!block.declarations().isEmpty()) {
                    apply(selectors.finish(), block);
                }
                selectors = new SelectorList();
                tokens.passedMark();
                empty = true;
            } else {
                selectors.add(token);
                empty &= token.kind() == Kind.SPACE;
            }
        }
    }

    private static void skipAtRule(CssTokens tokens) {
        for (Token token = tokens.next(); token != null && !token.is(';'); token = tokens.next()) {
            if (token.is('{')) {
                tokens.skipBlock(token);
                return;
            }
        }
    }

    /**
     * Adds a block for each selector. Selectors of one list share the block, so a later rule for one of them also
     * changes the others.
     */
    private void apply(List<String> selectors, Declarations block) {
        for (String selector : selectors) {
            if (count < MAX_RULES) {
                count++;
                Declarations earlier = switch (selector.charAt(0)) {
                    case '#' -> ids.putIfAbsent(selector.substring(1), block);
                    case '.' -> classes.putIfAbsent(selector.substring(1), block);
                    default -> tags.putIfAbsent(selector, block);
                };
                if (earlier != null) {
                    earlier.merge(block);
                }
            }
        }
    }

    /** Whether the sheet has no effective rule. */
    public boolean isEmpty() {
        return count == 0;
    }

    /** Returns the number of rules. */
    int size() {
        return count;
    }

    /** Whether some rule is for an identifier. */
    public boolean hasIds() {
        return !ids.isEmpty();
    }

    /** Whether some rule is for a class. */
    public boolean hasClasses() {
        return !classes.isEmpty();
    }

    /**
     * Returns the style for an element, or null if no rule applies. The most specific rule comes first; each further
     * one fills what is missing as a parent would, so that its display type yields to that of the tag. Do not modify
     * the style: other elements may share it. Call this only after the last {@link #add}.
     */
    public @Nullable Style style(String tag, @Nullable String id, List<String> names) {
        Style own = id == null ? null : add(null, ids.get(id));
        for (String name : names) {
            own = add(own, classes.get(name));
        }
        Declarations ofTag = tags.get(tag);
        Declarations ofAll = tags.get(ALL);
        if (own != null) {
            return add(add(own, ofTag), ofAll);
        }
        if (ofTag == null || ofAll == null) {
            return ofTag != null ? ofTag.style() : ofAll != null ? ofAll.style() : null;
        }
        return ofBoth.computeIfAbsent(tag, unseen -> {
            Style style = ofTag.style().copy();
            style.inherit(ofAll.style());
            return style;
        });
    }

    /** Returns {@code style} with what a further rule fills in; null if there is neither. */
    private static @Nullable Style add(@Nullable Style style, @Nullable Declarations rule) {
        if (rule == null) {
            return style;
        }
        Style further = rule.style();
        if (style == null) {
            return further.copy();
        }
        style.inherit(further);
        return style;
    }
}
