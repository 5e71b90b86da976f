package dev.weir.hash.text;

import com.ibm.icu.lang.UCharacter;
import com.ibm.icu.lang.UCharacterCategory;
import com.ibm.icu.text.Normalizer2;

/**
 * The definition of a word and its normal form (docs/reference/hashing.md#word-boundaries), based on ICU's character
 * data.
 */
final class WordForm {
    /** Maximum length of a word and of a normal form, in UTF-16 units. */
    static final int MAX_UNITS = 1024;
    private static final int UNITS_A_STEP = 16;
    private static final int LETTERS_AND_MARKS = mask(UCharacterCategory.UPPERCASE_LETTER,
            UCharacterCategory.LOWERCASE_LETTER, UCharacterCategory.TITLECASE_LETTER,
            UCharacterCategory.MODIFIER_LETTER,
            UCharacterCategory.OTHER_LETTER, UCharacterCategory.NON_SPACING_MARK,
            UCharacterCategory.COMBINING_SPACING_MARK, UCharacterCategory.DECIMAL_DIGIT_NUMBER,
            UCharacterCategory.LETTER_NUMBER, UCharacterCategory.CONNECTOR_PUNCTUATION,
            UCharacterCategory.CURRENCY_SYMBOL);
    private static final int KEPT = LETTERS_AND_MARKS | mask(UCharacterCategory.ENCLOSING_MARK,
            UCharacterCategory.OTHER_NUMBER, UCharacterCategory.MATH_SYMBOL);
    private static final byte[] ASCII_FORM = new byte[0x80];
    private static final boolean[] ASCII_STARTS = new boolean[0x80];
    private static final Normalizer2 NFKC = Normalizer2.getNFKCInstance();

    static {
        for (int c = 0; c < 0x80; c++) {
            ASCII_FORM[c] = has(c, KEPT) ? (byte) UCharacter.toLowerCase(c) : 0;
            ASCII_STARTS[c] = has(c, LETTERS_AND_MARKS) || UCharacter.isIdentifierIgnorable(c);
        }
    }

    private WordForm() {}

    private static int mask(byte... categories) {
        int mask = 0;
        for (byte category : categories) {
            mask |= 1 << category;
        }
        return mask;
    }

    private static boolean has(int codePoint, int mask) {
        return ((1 << UCharacter.getType(codePoint)) & mask) != 0;
    }

    /** Whether a segment that starts with {@code codePoint} is a word: ICU's {@code u_isJavaIDPart}. */
    static boolean startsWord(int codePoint) {
        return codePoint < 0x80
                ? ASCII_STARTS[codePoint]
                : has(codePoint, LETTERS_AND_MARKS) || UCharacter.isIdentifierIgnorable(codePoint);
    }

    /** Returns the normal form of an ASCII character, or 0 if it is dropped. */
    static byte ofAscii(byte c) {
        return ASCII_FORM[c];
    }

    /**
     * Returns the cost of a normal form in units of {@code Effort.spend}: sorting the marks of a word takes quadratic
     * time, and Rspamd, which does the same, does not limit their number.
     *
     * @param units the length of the word in UTF-16 units
     */
    static int steps(int units) {
        int counted = Math.min(units, MAX_UNITS);
        return counted + counted * counted / UNITS_A_STEP;
    }

    /**
     * Returns the normal form of a word: NFKC, then only letters, marks, numbers, connectors, and mathematical and
     * currency symbols, each in simple lower case.
     *
     * @return the empty string if nothing remains or the word is too long
     */
    static String normalise(String text, int from, int to) {
        if (to - from > MAX_UNITS) {
            return "";
        }
        String word = text.substring(from, to);
        if (word.indexOf('\ufffd') >= 0) {
            // U+FFFD stands for a malformed byte. A written U+FFFD would be dropped as a symbol anyway.
            word = word.replace("\ufffd", "");
        }
        String normal = NFKC.isNormalized(word) ? word : NFKC.normalize(word);
        if (normal.length() > MAX_UNITS) {
            return "";
        }
        StringBuilder kept = new StringBuilder(normal.length());
        for (int i = 0; i < normal.length();) {
            int c = normal.codePointAt(i);
            i += Character.charCount(c);
            if (has(c, KEPT)) {
                kept.appendCodePoint(UCharacter.toLowerCase(c));
            }
        }
        return kept.toString();
    }
}
