package dev.weir.hash.html;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/** What the structure of a document is hashed from: a word for each tag (hashing specification 6.2). */
final class StructureTokens {
    /** A class whose value contains one of these changes from mail to mail. */
    private static final List<String> TRACKING = List.of("utm", "track", "analytics", "pixel", "beacon", "campaign",
            "source", "medium", "guid", "uuid");

    private static final int LONGEST_CLASS_VALUE = 64;
    private static final int LONGEST_CLASS = 32;

    private StructureTokens() {}

    /**
     * The words in document order.
     *
     * @param withDomains whether a tag with a URL names the registrable domain of it
     */
    static List<String> of(List<Node> nodes, boolean withDomains) {
        List<String> tokens = new ArrayList<>(nodes.size());
        for (Node node : nodes) {
            if (node.kind != Node.Kind.TAG || node.ignored) {
                continue;
            }
            StringBuilder token = new StringBuilder(node.type == null ? "unknown" : node.name);
            String first = classOf(node.attribute(Attribute.CLASS));
            if (!first.isEmpty()) {
                token.append('.').append(first);
            }
            if (withDomains && node.url != null) {
                token.append('@').append(node.url.registrableDomain());
            }
            tokens.add(token.toString());
        }
        return tokens;
    }

    /** The first class as far as it is likely to be the same in the next mail of a kind; else nothing. */
    private static String classOf(byte @Nullable [] value) {
        if (value == null || value.length == 0 || value.length > LONGEST_CLASS_VALUE) {
            return "";
        }
        String all = new String(value, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
        for (String word : TRACKING) {
            if (all.contains(word)) {
                return "";
            }
        }
        int end = 0;
        int digits = 0;
        while (end < all.length() && all.charAt(end) > ' ') {
            if (isDigit(all.charAt(end))) {
                digits++;
            }
            end++;
        }
        if (digits > end / 2) {
            return "";
        }
        StringBuilder kept = new StringBuilder();
        for (int i = 0; i < end && kept.length() < LONGEST_CLASS; i++) {
            char c = all.charAt(i);
            if ((c >= 'a' && c <= 'z') || isDigit(c) || c == '_' || c == '-') {
                kept.append(c);
            }
        }
        return kept.toString();
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
