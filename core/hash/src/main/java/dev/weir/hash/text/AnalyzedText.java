package dev.weir.hash.text;

import dev.weir.hash.effort.Effort;
import dev.weir.hash.shingle.WordList;

/**
 * The input of a text part's hashes. The language and the stems are made when they are first asked for, because a text
 * with too few words is hashed without them. Thread-safe.
 */
public final class AnalyzedText {
    private final byte[] stripped;
    private final TextWords words;
    /** The text whose language counts: this one, or its alternative. */
    private final TextWords spoken;

    AnalyzedText(byte[] stripped, TextWords words, TextWords spoken) {
        this.stripped = stripped;
        this.words = words;
        this.spoken = spoken;
    }

    /** Returns the text with its lines joined, from which the digest of a short text is computed. Do not modify it. */
    public byte[] stripped() {
        return stripped;
    }

    /** Returns the number of retained words, which is that of the stems. */
    public int wordCount() {
        return words.count();
    }

    /** Returns the stems of all retained words in order, in UTF-8, none empty. */
    public WordList stems() {
        return stems(Effort.unlimited());
    }

    /**
     * As {@link #stems()}.
     *
     * @param effort remaining budget of the mail
     * @throws dev.weir.hash.effort.NotHashedException if the mail exceeds it
     */
    public WordList stems(Effort effort) {
        return words.stems(effort);
    }

    /** Returns the two-letter code of the language (or {@code zh-CN}); empty if the part has no token. */
    public String language() {
        return spoken.language();
    }

    /** Whether the script of the text shows that it is Japanese or Korean, which need fewer words than others. */
    public boolean isJapaneseOrKorean() {
        return spoken.isJapaneseOrKorean();
    }

    /** Returns the same words with the language of another text. A text without a token has no language to share. */
    public AnalyzedText withLanguageOf(AnalyzedText other) {
        return words.hasToken() && other.spoken.hasToken() ? new AnalyzedText(stripped, words, other.spoken) : this;
    }
}
