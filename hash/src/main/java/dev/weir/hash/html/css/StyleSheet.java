package dev.weir.hash.html.css;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.weir.hash.html.css.CssTokens.Kind;
import dev.weir.hash.html.css.CssTokens.Token;
import org.jspecify.annotations.Nullable;

/**
 * The rules of all {@code <style>} elements of a document. Only the first simple selector of each selector counts, so
 * {@code div .x} styles every {@code div}; at-rules are skipped, with their blocks (hashing specification 2.1).
 */
public final class StyleSheet {
    /** Rules of one document. */
    private static final int MAX_RULES = 65_536;

    private final Map<String, Declarations> rules = new HashMap<>();
    private int count;

    /** Adds the content of a {@code <style>} element. Never fails. */
    public void add(String css) {
        CssTokens tokens = CssTokens.of(css);
        List<String> selectors = new ArrayList<>();
        boolean expectSelector = true;
        for (Token token = tokens.next(); token != null; token = tokens.next()) {
            if (token.kind() == Kind.AT && selectors.isEmpty()) {
                skipAtRule(tokens);
                expectSelector = true;
            } else if (token.is('{')) {
                Declarations block = new Declarations();
                block.read(tokens);
                apply(selectors, block);
                selectors.clear();
                expectSelector = true;
            } else if (token.is(',')) {
                expectSelector = true;
            } else if (expectSelector && token.kind() != Kind.SPACE) {
                String selector = simple(token, tokens);
                if (selector != null && selectors.size() < MAX_RULES) {
                    selectors.add(selector);
                }
                expectSelector = false;
            }
        }
    }

    private static void skipAtRule(CssTokens tokens) {
        for (Token token = tokens.next(); token != null && !token.is(';'); token = tokens.next()) {
            if (token.is('{')) {
                Blocks.skip(tokens);
                return;
            }
        }
    }

    private static @Nullable String simple(Token first, CssTokens tokens) {
        if (first.is('*')) {
            return "*";
        }
        if (first.kind() == Kind.IDENT) {
            return first.text();
        }
        if (first.kind() == Kind.HASH) {
            return "#" + first.text();
        }
        if (first.is('.')) {
            Token name = tokens.next();
            return name != null && name.kind() == Kind.IDENT ? "." + name.text() : null;
        }
        return null;
    }

    private void apply(List<String> selectors, Declarations block) {
        for (String selector : selectors) {
            if (count < MAX_RULES) {
                count++;
                rules.computeIfAbsent(selector, unseen -> new Declarations()).merge(block);
            }
        }
    }

    /** Fills what is unset in {@code style}, the most special rule first. */
    public void fill(Style style, String tag, @Nullable String id, List<String> classes) {
        if (rules.isEmpty()) {
            return;
        }
        if (id != null) {
            fill(style, "#" + id);
        }
        for (String name : classes) {
            fill(style, "." + name);
        }
        fill(style, tag);
        fill(style, "*");
    }

    private void fill(Style style, String selector) {
        Declarations declarations = rules.get(selector);
        if (declarations != null) {
            style.fill(declarations);
        }
    }
}
