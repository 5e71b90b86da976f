package dev.weir.hash.kind;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The kind {@code token1}: the form of a token in the path of an address, as in
 * {@code /4TfRnV2614ekpx275adbwwfzmdh551CTOMFUOJRYQWOYY26PAPA12}. Programs that send campaigns mark each link with the
 * numbers of campaign, link and receiver between random letters. The letters, the numbers and the hosts change from
 * mail to mail, but the order of letters and digits and the length of the words in letters do not.
 *
 * <p>A token that is random as a whole has another form each time. Few such tokens have as many digits and as long
 * words as it takes here.
 */
final class TokenKind {
    /** Maximum number of forms of a mail. */
    static final int MOST = 20;
    private static final int SHORTEST = 32;
    private static final int LONGEST = 512;
    private static final int LEAST_RUNS = 9;
    private static final int LEAST_DIGITS = 12;
    /** A word of this many letters is long, and of twice as many very long. */
    private static final int LONG_WORD = 4;
    private static final int LEAST_LONG_WORDS = 3;

    private TokenKind() {}

    /** Returns the form of each token, without repetitions. */
    static List<String> read(List<WebAddress> addresses) {
        Set<String> forms = new LinkedHashSet<>();
        for (WebAddress address : addresses) {
            if (address.path().length() < SHORTEST) {
                continue;
            }
            for (String segment : address.plainPath().split("/", 16)) {
                String form = form(segment);
                if (form != null && forms.size() < MOST) {
                    forms.add(form);
                }
            }
        }
        return new ArrayList<>(forms);
    }

    /**
     * Returns the form of a token: 0 for digits, and a, b or c for a word of 1 to 3, 4 to 7 or more letters. Returns
     * null for all other segments.
     */
    static @Nullable String form(String segment) {
        if (segment.length() < SHORTEST || segment.length() > LONGEST) {
            return null;
        }
        StringBuilder form = new StringBuilder();
        int digits = 0;
        int longWords = 0;
        int at = 0;
        while (at < segment.length()) {
            int from = at;
            if (isDigit(segment.charAt(at))) {
                while (at < segment.length() && isDigit(segment.charAt(at))) {
                    at++;
                }
                digits += at - from;
                form.append('0');
            } else {
                while (at < segment.length() && isLetter(segment.charAt(at))) {
                    at++;
                }
                int length = at - from;
                if (length == 0) {
                    return null;
                }
                longWords += length >= LONG_WORD ? 1 : 0;
                form.append(length < LONG_WORD ? 'a' : length < 2 * LONG_WORD ? 'b' : 'c');
            }
        }
        return form.length() >= LEAST_RUNS && digits >= LEAST_DIGITS && longWords >= LEAST_LONG_WORDS
                ? form.toString()
                : null;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }
}
