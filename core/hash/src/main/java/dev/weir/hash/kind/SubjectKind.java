package dev.weir.hash.kind;

import java.util.Set;

import dev.weir.hash.effort.Effort;
import org.jspecify.annotations.Nullable;

/**
 * The kind {@code subject1}: the subject, as {@link Folding} reduces it. Short subjects say too little. The subject of
 * an answer counts only in a mail with links: who answers spam, or forwards it to ask about it, must not look like a
 * spammer.
 */
final class SubjectKind {
    static final int LEAST_WORDS = 3;
    static final int LEAST_LETTERS = 16;
    private static final Set<String> PREFIXES = Set.of("re", "fw", "fwd", "aw", "wg", "sv", "vs", "tr", "rv", "enc",
            "res",
            "ref", "antw");
    private static final int MOST_CHARS = 512;

    private SubjectKind() {}

    /**
     * Returns the reduced subject, or null if it does not count.
     *
     * @param linked whether the mail has HTML with a link
     */
    static @Nullable String read(@Nullable String subject, boolean linked, Effort effort) {
        if (subject == null) {
            return null;
        }
        String folded = Folding.fold(subject.length() <= MOST_CHARS ? subject : subject.substring(0, MOST_CHARS),
                effort);
        int from = 0;
        while (true) {
            int space = folded.indexOf(' ', from);
            if (space < 0 || !PREFIXES.contains(folded.substring(from, space))) {
                break;
            }
            if (!linked) {
                return null;
            }
            from = space + 1;
        }
        String text = folded.substring(from);
        int words = 1;
        for (int i = 0; i < text.length(); i++) {
            words += text.charAt(i) == ' ' ? 1 : 0;
        }
        int letters = text.length() - words + 1;
        return words >= LEAST_WORDS && letters >= LEAST_LETTERS ? text : null;
    }
}
