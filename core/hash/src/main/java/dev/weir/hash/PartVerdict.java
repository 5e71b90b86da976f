package dev.weir.hash;

import java.util.List;

import dev.weir.hash.kind.HashKind;
import dev.weir.hash.mime.MimePart;

/**
 * The outcome of one rule for one part: its hashes, and the reason for each hash not made.
 *
 * @param part the part
 * @param hashes hashes of the part, in wire order
 * @param refusals kinds of hash that apply to the part but were not made
 */
public record PartVerdict(MimePart part, List<FuzzyHash> hashes, List<Refusal> refusals) {
    public PartVerdict {
        hashes = List.copyOf(hashes);
        refusals = List.copyOf(refusals);
    }

    /**
     * A hash that was not made.
     *
     * @param kind kind of hash
     * @param reason reason for the refusal
     * @param actual measured value, in the unit of the reason; 0 if the reason has no value
     * @param needed value that the rule requires, in the same unit
     */
    public record Refusal(HashKind kind, Reason reason, long actual, long needed) {
        Refusal(HashKind kind, Reason reason) {
            this(kind, reason, 0, 0);
        }
    }

    /** The reason for a missing hash. */
    public enum Reason {
        /** The rule makes no hashes of this kind. */
        SWITCHED_OFF,
        /** The request excludes this kind. */
        SKIPPED,
        /** The part is empty. */
        EMPTY,
        /** The text has too few words, and the rule does not hash short texts. In words. */
        TOO_FEW_WORDS,
        /** The part is too small. In bytes; for a text, characters and subject count, multiplied as the rule says. */
        TOO_SMALL,
        /** The image is too narrow. In pixels. */
        TOO_NARROW,
        /** The image is too low. In pixels. */
        TOO_LOW,
        /** The part is displayed inline and has no file name. */
        NOT_ATTACHED,
        /** The rule lists neither the declared nor the detected type. */
        TYPE_NOT_LISTED,
        /** The text is not HTML, so it has no structure. */
        NOT_HTML,
        /** The rule hashes the structure of HTML only if it hashes the text, which it does not. */
        TEXT_REFUSED,
        /** The HTML has too few tags. In tags. */
        TOO_FEW_TAGS,
        /** The HTML has too few links. In links. */
        TOO_FEW_LINKS,
        /** The HTML is not nested deeply enough. In levels. */
        TOO_FLAT,
        /** An earlier part of the mail has the same hash. */
        REPEATED
    }
}
