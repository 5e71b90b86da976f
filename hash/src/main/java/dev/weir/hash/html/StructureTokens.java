package dev.weir.hash.html;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

import dev.weir.hash.bytes.Ascii;
import org.jspecify.annotations.Nullable;

/** The tokens that represent the tags of a document in its structure hash (docs/reference/hashing.md#html-tokens). */
final class StructureTokens {
    /** A class attribute that contains one of these identifies a campaign or a recipient, not a template. */
    private static final List<String> CAMPAIGN_WORDS = List.of("utm", "track", "analytics", "pixel", "beacon",
            "campaign",
            "source", "medium", "guid", "uuid");
    private static final int LONGEST_ATTRIBUTE = 64;
    private static final int LONGEST_CLASS = 32;

    private StructureTokens() {}

    /** Returns {@code name[.class]}. */
    static String of(HtmlNode node) {
        String name = node.type == null ? "unknown" : node.name;
        String cssClass = className(node.attribute(Attribute.CLASS));
        return cssClass.isEmpty() ? name : name + "." + cssClass;
    }

    static boolean isPassword(HtmlNode input) {
        byte[] type = input.attribute(Attribute.TYPE);
        return type != null && new String(type, StandardCharsets.ISO_8859_1).equalsIgnoreCase("password");
    }

    private static String className(byte @Nullable [] attribute) {
        if (attribute == null || attribute.length == 0 || attribute.length > LONGEST_ATTRIBUTE) {
            return "";
        }
        String value = new String(attribute, StandardCharsets.ISO_8859_1);
        String lower = value.toLowerCase(Locale.ROOT);
        if (CAMPAIGN_WORDS.stream().anyMatch(lower::contains)) {
            return "";
        }
        int end = 0;
        int digits = 0;
        while (end < attribute.length && !Ascii.isHtmlSpace(attribute[end])) {
            digits += Ascii.isDigit(attribute[end]) ? 1 : 0;
            end++;
        }
        if (digits > end / 2) {
            return "";
        }
        StringBuilder kept = new StringBuilder();
        for (int i = 0; i < end && kept.length() < LONGEST_CLASS; i++) {
            byte b = (byte) Ascii.lower(attribute[i]);
            if (Ascii.isLetter(b) || Ascii.isDigit(b) || b == '_' || b == '-') {
                kept.append((char) b);
            }
        }
        return kept.toString();
    }
}
