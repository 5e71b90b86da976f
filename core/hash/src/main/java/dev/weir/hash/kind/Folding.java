package dev.weir.hash.kind;

import java.util.HashMap;
import java.util.Map;

import com.ibm.icu.lang.UCharacter;
import com.ibm.icu.lang.UCharacterCategory;
import com.ibm.icu.text.Normalizer2;
import dev.weir.hash.effort.Effort;
import dev.weir.hash.table.TextTable;

/**
 * Reduces text to what a reader sees in it: compatibility forms, capitals, diacritics and invisible characters
 * disappear, and letters that only look Latin become Latin in words with a Latin letter. Words with digits, addresses
 * and URLs are left out, because each copy has others. Single spaces separate words.
 */
final class Folding {
    private static final Normalizer2 DECOMPOSE = Normalizer2.getNFKDInstance();
    private static final Map<Integer, Character> LOOKALIKES = lookalikes();

    /**
     * Marks in a row that are kept. No writing system stacks more (Stream-Safe Text Format, UAX #15), and a normalizer
     * needs quadratic time to sort them. What is left out changes no hash, because all marks disappear.
     */
    private static final int MOST_MARKS = 30;
    /** Characters that are normalized at a time. */
    private static final int PIECE = 4096;
    /** Cost of a character that is not ASCII, in units of {@link Effort#spend}. */
    private static final int STEPS = 4;

    private Folding() {}

    private static Map<Integer, Character> lookalikes() {
        Map<Integer, Character> letters = new HashMap<>();
        for (String[] row : TextTable.rows(Folding.class, "lookalikes.txt", " ")) {
            row[1].codePoints().forEach(letter -> letters.put(letter, row[0].charAt(0)));
        }
        return Map.copyOf(letters);
    }

    /**
     * Returns the folded text.
     *
     * @throws dev.weir.hash.effort.NotHashedException if the mail exceeds its budget
     */
    static String fold(String text, Effort effort) {
        boolean ascii = true;
        for (int i = 0; i < text.length() && ascii; i++) {
            ascii = text.charAt(i) < 0x80;
        }
        String plain = ascii ? text : decompose(text, effort);
        effort.spend(plain.length());
        return reduce(plain);
    }

    /** Returns the folded form of a decomposed text. */
    static String reduce(String plain) {
        StringBuilder out = new StringBuilder(plain.length());
        int at = 0;
        while (at < plain.length()) {
            at = word(plain, at, out);
        }
        return out.toString();
    }

    /** Returns the text in its decomposed form, in pieces that end between two characters with their marks. */
    private static String decompose(String text, Effort effort) {
        StringBuilder out = new StringBuilder(text.length() + text.length() / 8);
        StringBuilder piece = new StringBuilder(PIECE + MOST_MARKS);
        int marks = 0;
        for (int at = 0; at < text.length();) {
            int c = text.codePointAt(at);
            at += Character.charCount(c);
            marks = DECOMPOSE.hasBoundaryBefore(c) ? 0 : marks + 1;
            if (marks == 0 && piece.length() >= PIECE) {
                normalize(piece, out, effort);
            }
            if (marks <= MOST_MARKS) {
                piece.appendCodePoint(c);
            } else {
                effort.spend(STEPS);
            }
        }
        normalize(piece, out, effort);
        return out.toString();
    }

    private static void normalize(StringBuilder piece, StringBuilder out, Effort effort) {
        effort.spend(STEPS * piece.length());
        out.append(DECOMPOSE.normalize(piece));
        piece.setLength(0);
    }

    /** Appends the word at {@code from}, if it is kept, and returns the position after it. */
    private static int word(String text, int from, StringBuilder out) {
        int start = out.length();
        if (start > 0) {
            out.append(' ');
        }
        int kept = out.length();
        boolean latin = false;
        boolean foreign = false;
        boolean dropped = false;
        int at = from;
        int c = 0;
        while (at < text.length()) {
            c = text.codePointAt(at);
            at += Character.charCount(c);
            if (c < 0x80) {
                if (c <= ' ') {
                    break;
                }
                if (c >= 'a' && c <= 'z') {
                    latin = true;
                    out.append((char) c);
                } else if (c >= 'A' && c <= 'Z') {
                    latin = true;
                    out.append((char) (c | 0x20));
                } else if ((c >= '0' && c <= '9') || c == '@') {
                    dropped = true;
                } else if (c == ':' && text.startsWith("//", at)) {
                    dropped = true;
                } else if (c == '.' && at < text.length() && isLetter(text.charAt(at)) && at - 2 >= from
                        && isLetter(text.charAt(at - 2))) {
                    // A dot between letters: a host.
                    dropped = true;
                }
                continue;
            }
            if (UCharacter.isUWhiteSpace(c)) {
                break;
            }
            int type = UCharacter.getType(c);
            if (type == UCharacterCategory.DECIMAL_DIGIT_NUMBER) {
                dropped = true;
            } else if (UCharacter.isLetter(c)) {
                foreign = true;
                out.appendCodePoint(UCharacter.toLowerCase(c));
            }
        }
        if (dropped || out.length() == kept) {
            out.setLength(start);
        } else if (latin && foreign) {
            unmask(out, kept);
        }
        return at;
    }

    private static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    private static void unmask(StringBuilder out, int from) {
        for (int i = from; i < out.length(); i++) {
            Character latin = LOOKALIKES.get((int) out.charAt(i));
            if (latin != null) {
                out.setCharAt(i, latin);
            }
        }
    }
}
