package dev.weir.hash.html.css;

import dev.weir.hash.html.css.CssTokens.Token;

/** Stepping over blocks that are of no interest. */
final class Blocks {
    private Blocks() {}

    /** Reads to the brace that closes the block whose opening brace was read last, or to the end. */
    static void skip(CssTokens tokens) {
        int depth = 1;
        for (Token token = tokens.next(); token != null; token = tokens.next()) {
            if (token.is('{')) {
                depth++;
            } else if (token.is('}') && --depth == 0) {
                return;
            }
        }
    }
}
