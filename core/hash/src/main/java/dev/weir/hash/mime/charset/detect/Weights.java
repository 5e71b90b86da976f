package dev.weir.hash.mime.charset.detect;

/** Amounts that evidence adds to or takes from a score, in thirtieths of a bit. */
final class Weights {
    static final int BIT = 30;
    static final int STRONG = 20 * BIT;
    static final int GOOD_SEQUENCE = 4 * BIT;
    static final int GENTLE = 2 * BIT;
    static final int SLIGHT = BIT / 2;

    private Weights() {}
}
