package dev.weir.hash.html;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;

import dev.weir.hash.bytes.Ascii;
import org.jspecify.annotations.Nullable;

/** The tokens that represent the tags of a document in its structure hash (docs/reference/hashing.md#html-tokens). */
final class StructureTokens {
    /** A class attribute that contains one of these identifies a campaign or a recipient, not a template. */
    private static final List<String> CAMPAIGN_WORDS = List.of("utm", "track", "analytics", "pixel", "beacon",
            "campaign",
            "source", "medium", "guid", "uuid");
    /** The words by their first letter. */
    private static final List<List<String>> BY_FIRST = IntStream.range(0, 0x80)
            .mapToObj(first -> CAMPAIGN_WORDS.stream().filter(word -> word.charAt(0) == first).toList()).toList();
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
        if (namesCampaign(attribute)) {
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
        byte[] kept = new byte[LONGEST_CLASS];
        int length = 0;
        for (int i = 0; i < end && length < LONGEST_CLASS; i++) {
            byte b = (byte) Ascii.lower(attribute[i]);
            if (Ascii.isLetter(b) || Ascii.isDigit(b) || b == '_' || b == '-') {
                kept[length++] = b;
            }
        }
        return Ascii.text(kept, 0, length);
    }

    private static boolean namesCampaign(byte[] attribute) {
        for (int i = 0; i < attribute.length; i++) {
            for (String word : BY_FIRST.get(Ascii.lower(attribute[i]) & 0x7f)) {
                if (Ascii.startsWithIgnoreCase(attribute, i, attribute.length, word)) {
                    return true;
                }
            }
        }
        return false;
    }
}
