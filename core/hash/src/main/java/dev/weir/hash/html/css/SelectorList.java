package dev.weir.hash.html.css;

import java.util.ArrayList;
import java.util.List;

import dev.weir.hash.html.css.CssTokens.Kind;
import dev.weir.hash.html.css.CssTokens.Token;
import org.jspecify.annotations.Nullable;

/**
 * A parser for the selector list before a block. Of a selector with several parts ({@code p.x}, {@code div b}) only the
 * first part counts, and the last selector of a list counts only if it is simple. So {@code div .x, b} styles every
 * {@code div} and {@code b}, and {@code div .x} alone styles nothing. This matches Rspamd's observed behavior.
 */
final class SelectorList {
    /** Maximum number of selectors kept per rule. */
    private static final int MAX_SELECTORS = 65_536;

    private enum State {
        /** Before a selector. */
        EXPECTED,
        /** After a dot, before the class. */
        DOT,
        /** After a number sign, before the identifier. */
        NUMBER_SIGN,
        /** After one simple selector. */
        SIMPLE,
        SIMPLE_AND_SPACE,
        /** In further parts of a selector, which do not count. */
        COMPOUND,
        /** After an invalid token: the rest of the list does not count. */
        DEAD
    }

    private final List<String> selectors = new ArrayList<>();
    private State state = State.EXPECTED;
    private @Nullable String current;

    void add(Token token) {
        if (token.is('[') || token.is('(')) {
            state = State.DEAD;
            selectors.clear();
            return;
        }
        if (token.is('}') || token.is(']')) {
            state = State.DEAD;
            return;
        }
        switch (state) {
            case EXPECTED -> begin(token);
            case DOT, NUMBER_SIGN -> name(token);
            case SIMPLE, SIMPLE_AND_SPACE -> more(token);
            case COMPOUND -> {
                if (token.is(',')) {
                    keep();
                } else if (token.kind() == Kind.FUNCTION) {
                    state = State.DEAD;
                }
            }
            case DEAD -> {
            }
        }
    }

    private void begin(Token token) {
        switch (token.kind()) {
            case IDENT -> simple(token.text());
            case HASH -> simple("#" + token.text());
            case NUMBER, OPAQUE, FUNCTION, AT -> state = State.DEAD;
            case DELIM -> {
                if (token.is('*')) {
                    simple("*");
                } else if (token.is('.')) {
                    state = State.DOT;
                } else if (token.is('#')) {
                    state = State.NUMBER_SIGN;
                } else if (token.is(',') || token.is(';') || token.is(':')) {
                    state = State.DEAD;
                }
            }
            case SPACE -> {
            }
        }
    }

    private void name(Token token) {
        if (token.kind() == Kind.IDENT) {
            simple((state == State.DOT ? "." : "#") + token.text());
        } else if (token.kind() != Kind.SPACE) {
            state = State.DEAD;
        }
    }

    private void more(Token token) {
        if (token.is(',')) {
            keep();
        } else if (token.kind() == Kind.SPACE) {
            state = State.SIMPLE_AND_SPACE;
        } else if (token.is(';') || token.kind() == Kind.FUNCTION
                || (state == State.SIMPLE_AND_SPACE && (token.kind() == Kind.NUMBER || token.kind() == Kind.OPAQUE))) {
            state = State.DEAD;
        } else {
            state = State.COMPOUND;
        }
    }

    private void simple(String selector) {
        current = selector;
        state = State.SIMPLE;
    }

    private void keep() {
        if (current != null && selectors.size() < MAX_SELECTORS) {
            selectors.add(current);
        }
        state = State.EXPECTED;
    }

    /**
     * Returns the simple selectors that count, after the last token was added: {@code *}, {@code tag}, {@code .class},
     * {@code #id}.
     */
    List<String> finish() {
        if (state == State.SIMPLE || state == State.SIMPLE_AND_SPACE) {
            keep();
        }
        return selectors;
    }
}
