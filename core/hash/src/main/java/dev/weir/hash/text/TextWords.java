package dev.weir.hash.text;

import java.util.Objects;

import dev.weir.hash.effort.Effort;
import dev.weir.hash.shingle.WordList;
import org.jspecify.annotations.Nullable;

/** The words of one text, whose language and stems are made on first use. Thread-safe. */
final class TextWords {
    /** Makes what is not there yet. */
    interface Reader {
        /** Returns the language. */
        String language();

        /**
         * Returns the stems in the language.
         *
         * @throws dev.weir.hash.effort.NotHashedException if the mail exceeds the budget
         */
        WordList stems(String language, Effort effort);
    }

    private final int count;
    private final boolean token;
    private final @Nullable String scriptLanguage;
    /** Null once the stems are made, so that the tokens are not kept. */
    private @Nullable Reader reader;
    private @Nullable String language;
    private volatile @Nullable WordList stems;

    /**
     * @param tokens the tokens; one that is no word is empty
     * @param scriptLanguage the language that the script tells, or null
     */
    TextWords(TokenList tokens, @Nullable String scriptLanguage, Reader reader) {
        this.count = tokens.words();
        this.token = tokens.size() > 0;
        this.scriptLanguage = scriptLanguage;
        this.reader = reader;
    }

    int count() {
        return count;
    }

    boolean hasToken() {
        return token;
    }

    /** No list of stop words and no profile is in these languages, so only the script can tell them. */
    boolean isJapaneseOrKorean() {
        return token && ("ja".equals(scriptLanguage) || "ko".equals(scriptLanguage));
    }

    synchronized String language() {
        String known = language;
        if (known == null) {
            known = Objects.requireNonNull(reader).language();
            language = known;
        }
        return known;
    }

    WordList stems(Effort effort) {
        WordList known = stems;
        return known != null ? known : makeStems(effort);
    }

    private synchronized WordList makeStems(Effort effort) {
        WordList known = stems;
        if (known == null) {
            known = Objects.requireNonNull(reader).stems(language(), effort);
            stems = known;
            reader = null;
        }
        return known;
    }
}
