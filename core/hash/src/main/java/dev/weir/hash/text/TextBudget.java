package dev.weir.hash.text;

import dev.weir.hash.effort.Effort;

/**
 * The budget that all text parts of one mail share (docs/reference/hashing.md#line-breaks). Parts spend from it in the
 * order of their analysis. For one mail and one thread.
 */
public final class TextBudget {
    /** Maximum number of words and URLs in one mail. */
    public static final int MAX_TOKENS = 100_000;
    /** Maximum total length of the words in one mail, in bytes. */
    public static final int MAX_TOKEN_BYTES = 1 << 20;
    /** Maximum number of recorded line ends in one mail. */
    public static final int MAX_NEWLINES = 100_000;
    /** Maximum number of URLs in one mail. */
    public static final int MAX_URLS = 10_240;

    private final Effort effort;
    private int tokens = MAX_TOKENS;
    private int tokenBytes = MAX_TOKEN_BYTES;
    private int newlines = MAX_NEWLINES;
    private int urls = MAX_URLS;

    /** Returns a budget without a time limit, for a single text. */
    public TextBudget() {
        this(Effort.unlimited());
    }

    /**
     * @param effort remaining budget of the mail
     */
    public TextBudget(Effort effort) {
        this.effort = effort;
    }

    Effort effort() {
        return effort;
    }

    /**
     * Spends one token of {@code bytes} bytes.
     *
     * @return false if the budget is used up
     */
    boolean takeToken(int bytes) {
        if (tokens <= 0 || bytes > tokenBytes) {
            tokens = 0;
            return false;
        }
        tokens--;
        tokenBytes -= bytes;
        return true;
    }

    int newlinesLeft() {
        return newlines;
    }

    void spendNewlines(int count) {
        newlines -= count;
    }

    int urlsLeft() {
        return urls;
    }

    void spendUrls(int count) {
        urls -= count;
    }
}
