package dev.weir.hash.html.css;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.weir.hash.html.css.CssTokens.Kind;
import dev.weir.hash.html.css.CssTokens.Token;
import dev.weir.hash.release.Release;
import org.jspecify.annotations.Nullable;

/**
 * The rules of all {@code <style>} elements of a document (docs/reference/hashing.md#html). {@link SelectorList}
 * describes which selectors count. At-rules are skipped together with their blocks.
 */
public final class StyleSheet {
    /** Maximum number of rules per document. */
    private static final int MAX_RULES = 65_536;

    private final Map<String, Declarations> rules = new HashMap<>();
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
                Declarations earlier = rules.putIfAbsent(selector, block);
                if (earlier != null) {
                    earlier.merge(block);
                }
            }
        }
    }

    /** Whether the sheet has no effective rule. */
    public boolean isEmpty() {
        return rules.isEmpty();
    }

    /**
     * Returns the style for an element, or null if no rule applies. The most specific rule comes first; each further
     * one fills what is missing as a parent would, so that its display type yields to that of the tag.
     */
    public @Nullable Style style(String tag, @Nullable String id, List<String> classes) {
        Style style = id == null ? null : add(null, "#" + id);
        for (String name : classes) {
            style = add(style, "." + name);
        }
        return add(add(style, tag), "*");
    }

    private @Nullable Style add(@Nullable Style style, String selector) {
        Declarations declarations = rules.get(selector);
        if (declarations == null) {
            return style;
        }
        Style further = declarations.style();
        if (style != null) {
            style.inherit(further);
        }
        return style == null ? further.copy() : style;
    }
}
