package dev.weir.hash;

import java.util.Locale;

/**
 * A pattern for media types such as {@code application/*}. {@code *} matches any run of characters and {@code ?} any
 * single character. The pattern ignores case and must match the whole name.
 */
final class MediaTypeGlob {
    private final String pattern;

    MediaTypeGlob(String pattern) {
        this.pattern = pattern.toLowerCase(Locale.ROOT);
    }

    boolean matches(String mediaType) {
        String name = mediaType.toLowerCase(Locale.ROOT);
        int at = 0;
        int in = 0;
        int star = -1;
        int starIn = 0;
        while (in < name.length()) {
            char p = at < pattern.length() ? pattern.charAt(at) : 0;
            if (p == '*') {
                star = at++;
                starIn = in;
            } else if (at < pattern.length() && (p == '?' || p == name.charAt(in))) {
                at++;
                in++;
            } else if (star >= 0) {
                // Backtrack: extend the last star by one character. Earlier stars never need to grow.
                at = star + 1;
                in = ++starIn;
            } else {
                return false;
            }
        }
        while (at < pattern.length() && pattern.charAt(at) == '*') {
            at++;
        }
        return at == pattern.length();
    }
}
