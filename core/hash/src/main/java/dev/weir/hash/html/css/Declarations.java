package dev.weir.hash.html.css;

import java.util.ArrayList;
import java.util.List;

import dev.weir.hash.html.css.CssTokens.Kind;
import dev.weir.hash.html.css.CssTokens.Token;
import dev.weir.hash.release.Release;
import org.jspecify.annotations.Nullable;

/**
 * The declarations of one {@code style} attribute or of the rules for one selector. The last declaration of a property
 * wins, {@code !important} or not, unless it has no value that the property accepts. In 3.4 an earlier one wins if it
 * has a higher rank: {@code important} without the exclamation mark raises the rank, {@code !important} lowers it
 * (docs/reference/hashing.md#html).
 */
public final class Declarations {
    /** Maximum number of arguments kept of one function; no function with more has an effect. */
    private static final int MAX_ARGUMENTS = 256;

    private enum State {
        NAME, COLON, VALUE, IGNORED
    }

    /** In the order of first declaration, which decides between display and visibility. */
    private final List<Declaration> declarations = new ArrayList<>(4);
    private final Release like;
    /** Computed on first use, after all declarations were added. Volatile, because threads share cached sheets. */
    private volatile @Nullable Style style;

    Declarations(Release like) {
        this.like = like;
    }

    /** Parses the content of a {@code style} attribute. Accepts any input. */
    public static Declarations inline(String css, Release like) {
        Declarations declarations = new Declarations(like);
        declarations.read(CssTokens.of(css), false);
        return declarations;
    }

    /**
     * Parses up to the end, or up to the brace that closes the current block. A malformed declaration is skipped
     * through the next semicolon after it, so a second semicolon in a row removes the declaration that follows. A
     * block in brackets ends the parsing; what follows it and the declaration around it are lost. In place of a colon
     * such a block is only malformed.
     *
     * @param block whether a closing brace ends the declarations
     */
    void read(CssTokens tokens, boolean block) {
        State state = State.NAME;
        Declaration declaration = null;
        Property property = null;
        for (Token token = tokens.next(); token != null && !(block && token.is('}')); token = tokens.next()) {
            if (token.kind() == Kind.SPACE) {
                continue;
            }
            if (token.opensBlock()) {
                tokens.skipBlock(token);
                if (state != State.COLON) {
                    if (block) {
                        tokens.skipToBrace();
                    }
                    return;
                }
            }
            List<Token> arguments = token.kind() == Kind.FUNCTION ? arguments(tokens) : null;
            if (state == State.NAME && arguments == null) {
                property = token.kind() == Kind.IDENT ? Property.of(token.text()) : null;
                state = property != null ? State.COLON : State.IGNORED;
            } else if (state == State.COLON) {
                declaration = property != null && token.is(':') ? new Declaration(property) : null;
                state = declaration != null ? State.VALUE : State.IGNORED;
            } else if (token.is(';')) {
                add(declaration);
                declaration = null;
                state = State.NAME;
            } else if (declaration != null) {
                declaration.add(token, arguments);
            }
        }
        add(declaration);
    }

    /** Reads through the next closing parenthesis, even if it belongs to an inner function. */
    private static List<Token> arguments(CssTokens tokens) {
        List<Token> arguments = new ArrayList<>(4);
        for (Token token = tokens.next(); token != null && !token.is(')'); token = tokens.next()) {
            boolean separates = token.kind() == Kind.SPACE || (token.kind() == Kind.DELIM && !token.isStructure());
            if (!separates && arguments.size() < MAX_ARGUMENTS) {
                arguments.add(token);
            }
        }
        return arguments;
    }

    private void add(@Nullable Declaration declaration) {
        if (declaration != null && !declaration.isEmpty()) {
            Declaration earlier = declaration(declaration.property);
            if (earlier == null) {
                declarations.add(declaration);
            } else {
                earlier.override(declaration, like == Release.V3_4);
            }
        }
    }

    /** Merges the declarations of {@code later}. Both then share the declarations that this block did not have. */
    void merge(Declarations later) {
        if (later != this) {
            later.declarations.forEach(this::add);
        }
    }

    /** Returns the declarations in the order of first declaration. */
    List<Declaration> declarations() {
        return declarations;
    }

    /** Returns the style that the declarations state. Do not modify it: all elements that match share it. */
    public Style style() {
        Style known = style;
        if (known == null) {
            known = Style.of(this, like);
            style = known;
        }
        return known;
    }

    @Nullable
    Declaration declaration(Property property) {
        // A block has a few properties of the twenty that count.
        for (Declaration declaration : declarations) {
            if (declaration.property == property) {
                return declaration;
            }
        }
        return null;
    }
}
