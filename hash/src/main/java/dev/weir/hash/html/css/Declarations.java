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
 * earlier one ranks higher: {@code important} without its exclamation mark raises a declaration, {@code !important} lowers it
 * (hashing specification 2.1).
 */
public final class Declarations {
    /** Tokens of one value that are kept; longer values decide nothing about visibility by their end. */
    private static final int MAX_VALUE_TOKENS = 256;

    private record Declaration(List<Token> value, int rank) {}

    private final Map<Property, Declaration> byProperty = new EnumMap<>(Property.class);

    Declarations() {}

    /** Reads the content of a {@code style} attribute. Never fails. */
    public static Declarations inline(String css) {
        Declarations declarations = new Declarations();
        declarations.read(CssTokens.of(css));
        return declarations;
    }

    /** Reads up to the closing brace of a block whose opening brace was read, or to the end. */
    void read(CssTokens tokens) {
        Token token = tokens.next();
        while (token != null && !token.is('}')) {
            if (token.kind() == Kind.IDENT) {
                token = declaration(tokens, token.text());
            } else if (token.is('{')) {
                Blocks.skip(tokens);
                token = tokens.next();
            } else {
                token = tokens.next();
            }
        }
    }

    /** Reads behind a property's name; returns the first token that does not belong to the declaration. */
    private @Nullable Token declaration(CssTokens tokens, String name) {
        Token token = tokens.next();
        while (token != null && token.kind() == Kind.SPACE) {
            token = tokens.next();
        }
        boolean valid = token != null && token.is(':');
        if (valid) {
            token = tokens.next();
        }
        Property property = Property.of(name);
        List<Token> value = new ArrayList<>(4);
        int depth = 0;
        while (token != null && !(depth <= 0 && (token.is(';') || token.is('}')))) {
            if (token.is('{')) {
                Blocks.skip(tokens);
                valid = false;
            } else {
                depth += token.kind() == Kind.FUNCTION || token.is('(') ? 1 : token.is(')') ? -1 : 0;
                if (property != null && value.size() < MAX_VALUE_TOKENS && token.kind() != Kind.SPACE) {
                    value.add(token);
                }
            }
            token = tokens.next();
        }
        if (valid && property != null) {
            add(property, value);
        }
        return token;
    }

    private void add(Property property, List<Token> value) {
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
}
