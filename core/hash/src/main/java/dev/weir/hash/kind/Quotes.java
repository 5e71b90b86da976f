package dev.weir.hash.kind;

/**
 * Leaves out of a plain text what its sender did not write for this mail: the lines that an answer quotes, and what
 * follows the mark of a signature. An answer must not look like the mail that it quotes, be it honest or spam, and not
 * like every other mail with the same signature.
 */
final class Quotes {
    /** The mark of a signature (RFC 3676, section 4.3). Many programs lose its space. */
    private static final String MARK = "--";
    /** The longest signature in characters. */
    private static final int LONGEST_SIGNATURE = 2048;

    private Quotes() {}

    /**
     * Returns the lines that are not quoted, up to the signature. A text of quoted lines alone stays as it is, and so
     * does a signature that is longer than what is above it.
     */
    static String cut(String text) {
        if (text.indexOf('>') < 0 && text.indexOf(MARK) < 0) {
            return text;
        }
        StringBuilder kept = new StringBuilder(text.length());
        int signature = -1;
        int from = 0;
        while (from < text.length()) {
            int end = text.indexOf('\n', from);
            int next = end < 0 ? text.length() : end + 1;
            if (!isQuoted(text, from)) {
                if (signature < 0 && text.substring(from, next).stripTrailing().equals(MARK)) {
                    signature = kept.length();
                }
                kept.append(text, from, next);
            }
            from = next;
        }
        if (signature > 0) {
            int length = kept.length() - signature;
            if (length <= Math.min(LONGEST_SIGNATURE, signature)) {
                kept.setLength(signature);
            }
        }
        return kept.toString().isBlank() ? text : kept.toString();
    }

    private static boolean isQuoted(String text, int from) {
        int at = from;
        while (at < text.length() && text.charAt(at) == ' ') {
            at++;
        }
        return at < text.length() && text.charAt(at) == '>';
    }
}
