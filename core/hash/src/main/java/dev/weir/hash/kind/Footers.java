package dev.weir.hash.kind;

import java.nio.charset.StandardCharsets;
import java.util.List;

import dev.weir.hash.bytes.Ascii;

/**
 * Leaves out what a mailing list or a virus scanner appends to each mail. The footer is the same below honest mails and
 * spam, so it must not make them alike.
 */
final class Footers {
    /** The longest footer in characters of HTML source or text. */
    private static final int LONGEST = 8192;
    /** In a mail without HTML, a footer of at most this many characters may be longer than the rest of the mail. */
    private static final int SHORT = 512;
    /**
     * The beginnings of footers of Google Groups, groups.io, Yahoo, SourceForge and others, and of virus scanners, in
     * lower case.
     */
    private static final List<String> BEGINNINGS = List.of("you received this message because you are subscribed to",
            "you are receiving this because you are subscribed to this thread", "to unsubscribe from this group",
            "to unsubscribe from this list", "to unsubscribe, e-mail:",
            "to unsubscribe, email to", "you are receiving this mail because:", "yahoo! groups links",
            "groups.io links:",
            "this sf.net email is sponsored by", "this message has been scanned for viruses",
            "this email has been scanned for", "this email has been checked for viruses");
    /** A rule as Mailman draws it, or the mark of a signature, and what then follows. */
    private static final String RULE = "_".repeat(40);
    private static final List<String> SIGNATURES = List.of("\n-- \n", "\n--\n");
    private static final List<String> BELOW_A_RULE = List.of("mailing list", "listinfo", "unsubscribe");

    private Footers() {}

    /** Returns HTML source or its text without its footer. It never removes more than three quarters. */
    static String cut(String text) {
        return cut(text, firstOf(text));
    }

    /**
     * Returns plain text without its footer. It removes at most three quarters, or 512 characters: many mails to lists
     * have one line above the footer.
     */
    static String cutPlain(String text) {
        return cut(text, Math.clamp(text.length() - SHORT, 0, firstOf(text)));
    }

    /** Returns the first place at which a footer may begin. */
    private static int firstOf(String text) {
        return Math.max(text.length() / 4, text.length() - LONGEST);
    }

    private static String cut(String text, int from) {
        String tail = lower(text.substring(from));
        int end = tail.length();
        for (String beginning : BEGINNINGS) {
            int at = tail.indexOf(beginning);
            end = at >= 0 ? Math.min(end, at) : end;
        }
        int rule = tail.indexOf(RULE);
        if (rule >= 0 && rule < end && isAbove(tail, rule)) {
            end = rule;
        }
        for (String signature : SIGNATURES) {
            // The search from the front is much faster, and few mails have a signature.
            int at = tail.indexOf(signature) < 0 ? -1 : tail.lastIndexOf(signature);
            if (at >= 0 && at < end && isAbove(tail, at)) {
                end = at;
            }
        }
        // Lower case of a few letters takes more characters, so the place may be beyond the end.
        return end == tail.length() ? text : text.substring(0, Math.min(from + end, text.length()));
    }

    /** Returns the text in lower case, with a question mark for each character beyond Latin-1: no footer has one. */
    private static String lower(String text) {
        // The two characters whose lower case begins with a letter of ASCII.
        byte[] latin = text.replace("\u0130", "i?").replace('\u212a', 'k').getBytes(StandardCharsets.ISO_8859_1);
        Ascii.lower(latin);
        return new String(latin, StandardCharsets.ISO_8859_1);
    }

    /** Returns whether what follows a mark is about a mailing list. */
    private static boolean isAbove(String tail, int mark) {
        return BELOW_A_RULE.stream().anyMatch(word -> tail.indexOf(word, mark) >= 0);
    }
}
