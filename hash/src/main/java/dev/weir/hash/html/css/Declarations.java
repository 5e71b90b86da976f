package dev.weir.hash.html.css;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import dev.weir.hash.html.css.CssTokens.Kind;
import dev.weir.hash.html.css.CssTokens.Token;
import org.jspecify.annotations.Nullable;

/**
 * What one {@code style} attribute or one rule of a sheet declares. The last declaration of a property wins, unless an
 * earlier one ranks higher: {@code important} without its exclamation mark raises a declaration, {@code !important}
 * lowers it (docs/reference/hashing.md#html).
 */
public final class Declarations {
    /** Tokens of one value that are kept; longer values decide nothing about visibility by their end. */
    private static final int MAX_VALUE_TOKENS = 256;

    private record Declaration(List<Token> value, int rank) {}

    private final Map<Property, Declaration> byProperty = new EnumMap<>(Property.class);
    /** Made when it is first asked for, which is when all is declared. */
    private @Nullable Effects effects;

    Declarations() {}

    /** Reads the content of a {@code style} attribute. Never fails. */
    public static Declarations inline(String css) {
        Declarations declarations = new Declarations();
        declarations.read(CssTokens.of(css));
        return declarations;
    }

    /**
     * Reads up to the closing brace of a block whose opening brace was read, or to the end. What is no declaration is
     * skipped to the next semicolon behind it, so that a second semicolon in a row swallows the declaration that
     * follows. An opening bracket ends the reading: what follows it is lost.
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

    /** Reads behind a property's name; returns the token that ended it. */
    private @Nullable Token declaration(CssTokens tokens, String name) {
        Token token = tokens.next();
        while (token != null && token.kind() == Kind.SPACE) {
            token = tokens.next();
        }
        if (token == null || token.is('}')) {
            return token;
        }
        if (token.is(';') && Property.of(name) == null) {
            return token; // while a known property without a value swallows the declaration behind it
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

    /** Skips the block that {@code opening} opened, and the rest of the block around it. */
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
        for (int i = 0; i < value.size(); i++) {
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

    /** Takes over what {@code later} declares. */
    void merge(Declarations later) {
        effects = null;
        later.byProperty.forEach((property, declaration) -> {
            Declaration earlier = byProperty.get(property);
            if (earlier == null || declaration.rank >= earlier.rank) {
                byProperty.put(property, declaration);
            }
        });
    }

    /** The value of a property, empty if it is not declared. White space is left out. */
    List<Token> value(Property property) {
        Declaration declaration = byProperty.get(property);
        return declaration == null ? List.of() : declaration.value;
    }

    /** What the declarations come to. */
    Effects effects() {
        Effects known = effects;
        if (known == null) {
            known = Effects.of(this);
            effects = known;
        }
        return known;
    }
}
