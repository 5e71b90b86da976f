package dev.weir.hash.html.css;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import dev.weir.hash.html.css.CssTokens.Kind;
import dev.weir.hash.html.css.CssTokens.Token;
import dev.weir.hash.release.Release;
import org.jspecify.annotations.Nullable;

/**
 * The declarations of one {@code style} attribute or one rule of a sheet. The last declaration of a property wins,
 * {@code !important} or not. In 3.4 an earlier one wins if it has a higher rank: {@code important} without the
 * exclamation mark raises the rank, {@code !important} lowers it (docs/reference/hashing.md#html).
 */
public final class Declarations {
    /** Maximum number of tokens kept of one value; the rest of a longer value does not affect visibility. */
    private static final int MAX_VALUE_TOKENS = 256;

    private record Declaration(List<Token> value, int rank) {}

    private final Map<Property, Declaration> byProperty = new EnumMap<>(Property.class);
    /** Computed on first use, after all declarations were added. */
    private @Nullable Effects effects;

    private final Release like;

    Declarations(Release like) {
        this.like = like;
    }

    /** Parses the content of a {@code style} attribute. Accepts any input. */
    public static Declarations inline(String css, Release like) {
        Declarations declarations = new Declarations(like);
        declarations.read(CssTokens.of(css));
        return declarations;
    }

    /**
     * Parses up to the brace that closes the current block, or to the end. A malformed declaration is skipped through
     * the next semicolon after it, so a second semicolon in a row removes the declaration that follows. An opening
     * bracket ends the parsing, and what follows it is lost.
     */
    void read(CssTokens tokens) {
        for (Token token = tokens.next(); token != null && !token.is('}'); token = tokens.next()) {
            if (token.kind() == Kind.SPACE) {
                continue;
            }
            Token last = token.kind() == Kind.IDENT ? declaration(tokens, token.text()) : skip(tokens, tokens.next());
            if (last == null || last.is('}')) {
                return;
            }
            if (opensBlock(last)) {
                skipToEnd(tokens, last);
                return;
            }
        }
    }

    /**
     * Parses what follows a property name.
     *
     * @return token that ended the declaration
     */
    private @Nullable Token declaration(CssTokens tokens, String name) {
        Token token = tokens.next();
        while (token != null && token.kind() == Kind.SPACE) {
            token = tokens.next();
        }
        if (token == null || token.is('}')) {
            return token;
        }
        if (token.is(';') && Property.of(name) == null) {
            return token; // a known property without a value swallows the next declaration
        }
        if (!token.is(':')) {
            return skip(tokens, opensBlock(token) ? token : tokens.next());
        }
        Property property = Property.of(name);
        List<Token> value = new ArrayList<>(4);
        int depth = 0;
        for (token = tokens.next(); token != null && !endsValue(token, depth); token = tokens.next()) {
            depth += token.kind() == Kind.FUNCTION ? 1 : token.is(')') && depth > 0 ? -1 : 0;
            if (property != null && value.size() < MAX_VALUE_TOKENS && token.kind() != Kind.SPACE) {
                value.add(token);
            }
        }
        if (property != null && (token == null || !opensBlock(token))) {
            add(property, value);
        }
        return token;
    }

    private static boolean endsValue(Token token, int depth) {
        return depth == 0 && (token.is('}') || token.is(';') || opensBlock(token));
    }

    private static @Nullable Token skip(CssTokens tokens, @Nullable Token from) {
        Token token = from;
        while (token != null && !token.is(';') && !token.is('}') && !opensBlock(token)) {
            token = tokens.next();
        }
        return token;
    }

    private static boolean opensBlock(Token token) {
        return token.is('{') || token.is('(') || token.is('[');
    }

    /** Skips the block opened by {@code opening}, and the rest of the enclosing block. */
    private static void skipToEnd(CssTokens tokens, Token opening) {
        if (opening.is('(') || opening.is('[')) {
            skipBrackets(tokens, opening.text().charAt(0), opening.is('(') ? ')' : ']');
        }
        int depth = opening.is('{') ? 1 : 0;
        for (Token token = tokens.next(); token != null; token = tokens.next()) {
            if (token.is('{')) {
                depth++;
            } else if (token.is('}') && depth-- == 0) {
                return;
            }
        }
    }

    private static void skipBrackets(CssTokens tokens, char open, char close) {
        int depth = 1;
        for (Token token = tokens.next(); token != null; token = tokens.next()) {
            if (token.is(open) || (open == '(' && token.kind() == Kind.FUNCTION)) {
                depth++;
            } else if (token.is(close) && --depth == 0) {
                return;
            }
        }
    }

    private void add(Property property, List<Token> value) {
        effects = null;
        int rank = 0;
        for (int i = 0; like == Release.V3_4 && i < value.size(); i++) {
            Token token = value.get(i);
            if (token.kind() == Kind.IDENT && token.text().equals("important")) {
                rank = i > 0 && value.get(i - 1).is('!') ? -1 : 1;
            }
        }
        Declaration earlier = byProperty.get(property);
        if (earlier == null || rank >= earlier.rank) {
            byProperty.put(property, new Declaration(List.copyOf(value), rank));
        }
    }

    /** Merges the declarations of {@code later}. */
    void merge(Declarations later) {
        effects = null;
        later.byProperty.forEach((property, declaration) -> {
            Declaration earlier = byProperty.get(property);
            if (earlier == null || declaration.rank >= earlier.rank) {
                byProperty.put(property, declaration);
            }
        });
    }

    /** Returns the value of a property without white space; empty if it is not declared. */
    List<Token> value(Property property) {
        Declaration declaration = byProperty.get(property);
        return declaration == null ? List.of() : declaration.value;
    }

    /** Returns the effects of the declarations. */
    Effects effects() {
        Effects known = effects;
        if (known == null) {
            known = Effects.of(this);
            effects = known;
        }
        return known;
    }
}
