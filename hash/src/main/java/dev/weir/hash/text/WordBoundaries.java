package dev.weir.hash.text;

import com.ibm.icu.text.BreakIterator;
import com.ibm.icu.util.ULocale;
import org.jspecify.annotations.Nullable;

/**
 * The word boundaries of one text, one after the other, where ICU finds them. Segments of ASCII, nearly all of most
 * mail, are told by the rules of UAX #29 for the few classes that ASCII has; a segment that another character takes
 * part in is left to ICU. A segment depends on nothing before it, so both can take turns. For one thread.
 */
final class WordBoundaries {
    /** No boundary is left. */
    static final int DONE = -1;

    private final Rules rules;
    private final String text;
    private int position;
    /** Made when the text first needs it. */
    private @Nullable BreakIterator icu;

    private WordBoundaries(Rules rules, String text) {
        this.rules = rules;
        this.text = text;
    }

    /**
     * The boundaries of a locale, which differ in the punctuation that joins letters or digits. Immutable, thread-safe.
     */
    static final class Rules {
        private static final int LETTER = 1;
        private static final int DIGIT = 2;
        /** The underscore: joins with letters, digits and itself. */
        private static final int CONNECTOR = 4;
        private static final int WORD = LETTER | DIGIT | CONNECTOR;
        /** Joins what is before and behind it, if both are letters. */
        private static final int BETWEEN_LETTERS = 8;
        private static final int BETWEEN_DIGITS = 16;
        private static final int SPACE = 32;

        private final BreakIterator prototype;
        private final byte[] classes = new byte[0x80];

        /** @param locale in ICU's notation */
        Rules(String locale) {
            prototype = BreakIterator.getWordInstance(new ULocale(locale));
            BreakIterator icu = (BreakIterator) prototype.clone();
            for (char c = 0; c < classes.length; c++) {
                classes[c] = (byte) classify(icu, c);
            }
        }

        /**
         * ICU itself is asked: locales differ, and so do its versions; in that of the reference the at sign is a
         * letter.
         */
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

        /** The boundaries of a text, from its start on. */
        WordBoundaries of(String text) {
            return new WordBoundaries(this, text);
        }

        private int classOf(char c) {
            return classes[c];
        }
    }

    /** The end of the next segment, in UTF-16 units; {@link #DONE} at the end of the text. */
    int next() {
        if (position == text.length()) {
            return DONE;
        }
        int end = plainEnd();
        position = end >= 0 ? end : icuEnd();
        return position;
    }

    /** Goes on from a boundary that lies ahead. */
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

    /** The end of the segment at {@link #position}; negative if a character beyond ASCII may have a say. */
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

    /** Marks beyond ASCII never join these. */
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
