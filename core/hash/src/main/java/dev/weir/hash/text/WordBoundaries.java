package dev.weir.hash.text;

import com.ibm.icu.text.BreakIterator;
import com.ibm.icu.util.ULocale;
import org.jspecify.annotations.Nullable;

/**
 * The word boundaries of one text in order, identical to ICU's. ASCII segments, nearly all of most mail, follow the UAX
 * #29 rules for the few word-break classes in ASCII. Segments with other characters go to ICU. A segment depends on
 * nothing before it, so the two methods can alternate. For one thread.
 */
final class WordBoundaries {
    /** Result if no boundary is left. */
    static final int DONE = -1;

    private final Rules rules;
    private final String text;
    private int position;
    /** Created when the text first needs it. */
    private @Nullable BreakIterator icu;

    private WordBoundaries(Rules rules, String text) {
        this.rules = rules;
        this.text = text;
    }

    /**
     * The boundary rules of a locale. Locales differ in the punctuation that joins letters or digits. Immutable and
     * thread-safe.
     */
    static final class Rules {
        private static final int LETTER = 1;
        private static final int DIGIT = 2;
        /** The underscore, which joins letters, digits and itself. */
        private static final int CONNECTOR = 4;
        private static final int WORD = LETTER | DIGIT | CONNECTOR;
        /** Joins the characters before and after it if both are letters. */
        private static final int BETWEEN_LETTERS = 8;
        private static final int BETWEEN_DIGITS = 16;
        private static final int SPACE = 32;

        private final BreakIterator prototype;
        private final byte[] classes = new byte[0x80];

        /**
         * @param locale locale in ICU's notation
         */
        Rules(String locale) {
            prototype = BreakIterator.getWordInstance(new ULocale(locale));
            BreakIterator icu = (BreakIterator) prototype.clone();
            for (char c = 0; c < classes.length; c++) {
                classes[c] = (byte) classify(icu, c);
            }
        }

        /** Asks ICU, because locales and ICU versions differ; in Rspamd's version the at sign is a letter. */
        private static int classify(BreakIterator icu, char c) {
            if (isOneSegment(icu, "a" + c) && isOneSegment(icu, c + "a")) {
                return isOneSegment(icu, "a'" + c) ? LETTER : isOneSegment(icu, "1'" + c) ? DIGIT : CONNECTOR;
            }
            return (isOneSegment(icu, "a" + c + "a") ? BETWEEN_LETTERS : 0)
                    | (isOneSegment(icu, "1" + c + "1") ? BETWEEN_DIGITS : 0)
                    | (c == ' ' ? SPACE : 0);
        }

        private static boolean isOneSegment(BreakIterator icu, String text) {
            icu.setText(text);
            return icu.next() == text.length();
        }

        /** Returns the boundaries of a text from its start. */
        WordBoundaries of(String text) {
            return new WordBoundaries(this, text);
        }

        private int classOf(char c) {
            return classes[c];
        }
    }

    /** Returns the end of the next segment in UTF-16 units, or {@link #DONE} at the end of the text. */
    int next() {
        if (position == text.length()) {
            return DONE;
        }
        int end = plainEnd();
        position = end >= 0 ? end : icuEnd();
        return position;
    }

    /** Continues from a boundary further ahead. */
    void moveTo(int boundary) {
        position = boundary;
    }

    private int icuEnd() {
        BreakIterator iterator = icu;
        if (iterator == null) {
            iterator = (BreakIterator) rules.prototype.clone();
            iterator.setText(text);
            icu = iterator;
        }
        return iterator.current() == position ? iterator.next() : iterator.following(position);
    }

    /**
     * Returns the end of the segment at {@link #position}, or a negative number if a character outside ASCII may affect
     * it.
     */
    private int plainEnd() {
        int at = position;
        char first = text.charAt(at++);
        if (first >= 0x80) {
            return -1;
        }
        if (isLineBreak(first)) {
            return first == '\r' && at < text.length() && text.charAt(at) == '\n' ? at + 1 : at;
        }
        int kind = rules.classOf(first);
        if ((kind & Rules.WORD) != 0) {
            return wordEnd(at, kind);
        }
        if (kind == Rules.SPACE) {
            while (at < text.length() && text.charAt(at) == ' ') {
                at++;
            }
        }
        return at < text.length() && text.charAt(at) >= 0x80 ? -1 : at;
    }

    /** Marks outside ASCII never join these. */
    private static boolean isLineBreak(char c) {
        return c >= '\n' && c <= '\r';
    }

    private int wordEnd(int from, int firstKind) {
        int length = text.length();
        int last = firstKind;
        int at = from;
        while (at < length) {
            char c = text.charAt(at);
            if (c >= 0x80) {
                return -1;
            }
            int kind = rules.classOf(c);
            if ((kind & Rules.WORD) == 0) {
                int joined = (kind & Rules.BETWEEN_LETTERS) != 0 ? last & Rules.LETTER : 0;
                joined |= (kind & Rules.BETWEEN_DIGITS) != 0 ? last & Rules.DIGIT : 0;
                if (joined == 0 || at + 1 == length) {
                    return at;
                }
                char behind = text.charAt(++at);
                if (behind >= 0x80) {
                    return -1;
                }
                kind = rules.classOf(behind);
                if ((kind & joined) == 0) {
                    return at - 1;
                }
            }
            last = kind;
            at++;
        }
        return at;
    }
}
