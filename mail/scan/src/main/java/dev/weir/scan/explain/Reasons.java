package dev.weir.scan.explain;

import java.util.Locale;

import dev.weir.hash.PartVerdict.Refusal;

/** Sentences for the reasons why a part has no hash. */
final class Reasons {
    private Reasons() {}

    static String sentence(Refusal refusal) {
        return switch (refusal.reason()) {
            case SWITCHED_OFF -> "the rule disables this kind of hash";
            case SKIPPED -> "left out on request";
            case EMPTY -> "it is empty";
            case TOO_FEW_WORDS -> against(refusal, "words");
            case TOO_SMALL -> switch (refusal.kind()) {
                case SHORT_TEXT -> against(refusal, "bytes of text and subject, weighted");
                default -> against(refusal, "bytes");
            };
            case TOO_NARROW -> against(refusal, "pixels wide");
            case TOO_LOW -> against(refusal, "pixels high");
            case NOT_ATTACHED -> "it is not an attachment";
            case TYPE_NOT_LISTED -> "the rule does not list its type";
            case NOT_HTML -> "it is not HTML";
            case TEXT_REFUSED -> "its text is not hashed, and the rule has html_needs_text";
            case TOO_FEW_TAGS -> against(refusal, "tags");
            case TOO_FEW_LINKS -> against(refusal, "links");
            case TOO_FLAT -> against(refusal, "levels deep");
            case REPEATED -> "an earlier part has the same hash";
        };
    }

    private static String against(Refusal refusal, String unit) {
        return String.format(Locale.ROOT, "%,d %s, the rule requires %,d", refusal.actual(), unit, refusal.needed());
    }
}
