package dev.weir.hash.text;

import dev.weir.hash.effort.Effort;

/**
 * What all text parts of one mail may spend together (docs/reference/hashing.md#line-breaks). Parts are charged in the
 * order in which they are analysed. For one mail and one thread.
 */
public final class TextBudget {
    /** Words and URLs of one mail. */
    public static final int MAX_TOKENS = 100_000;
    /** Bytes of all words of one mail. */
    public static final int MAX_TOKEN_BYTES = 1 << 20;
    /** Recorded line ends of one mail. */
    public static final int MAX_NEWLINES = 100_000;
    /** URLs of one mail. */
    public static final int MAX_URLS = 10_240;

    private final Effort effort;
    private int tokens = MAX_TOKENS;
    private int tokenBytes = MAX_TOKEN_BYTES;
    private int newlines = MAX_NEWLINES;
    private int urls = MAX_URLS;

    /** Without a limit of time, for what is read alone. */
    public TextBudget() {
        this(Effort.unlimited());
    }

    /** @param effort what the mail may still cost */
    public TextBudget(Effort effort) {
        this.effort = effort;
    }

    Effort effort() {
        return effort;
    }

    /** Takes one token of {@code bytes} bytes; false if the mail has had its share. */
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
