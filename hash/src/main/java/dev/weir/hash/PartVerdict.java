package dev.weir.hash;

import java.util.List;

import dev.weir.hash.mime.MimePart;

/**
 * What a rule makes of one part, and what it does not make of it and why.
 *
 * @param part the part
 * @param hashes made of it, in wire order
 * @param refusals kinds of hash that the part could have given but does not
 */
public record PartVerdict(MimePart part, List<FuzzyHash> hashes, List<Refusal> refusals) {
    public PartVerdict {
        hashes = List.copyOf(hashes);
        refusals = List.copyOf(refusals);
    }

    /**
     * A hash that is not made.
     *
     * @param kind of hash
     * @param reason why not
     * @param actual what the part has, in the unit of the reason; 0 where the reason has none
     * @param needed what the rule asks for, in the same unit
     */
    public record Refusal(HashKind kind, Reason reason, long actual, long needed) {
        Refusal(HashKind kind, Reason reason) {
            this(kind, reason, 0, 0);
        }
    }

    /** Why a hash is not made. */
    public enum Reason {
        /** The rule does not make hashes of this kind. */
        SWITCHED_OFF,
        /** The request asks to leave this kind out. */
        SKIPPED,
        /** There is nothing in the part. */
        EMPTY,
        /** Words of the text; the rule hashes no short texts. */
        TOO_FEW_WORDS,
        /** Bytes, which for a text are those of its characters and the subject, weighted by the rule. */
        TOO_SMALL,
        /** Width in pixels. */
        TOO_NARROW,
        /** Height in pixels. */
        TOO_LOW,
        /** The part is shown with the mail and has no file name. */
        NOT_ATTACHED,
        /** Neither the declared nor the detected type is one that the rule lists. */
        TYPE_NOT_LISTED,
        /** HTML tags. */
        TOO_FEW_TAGS,
        /** Links in the HTML. */
        TOO_FEW_LINKS,
        /** Levels of the HTML. */
        TOO_FLAT,
        /** An earlier part of the mail gave the same hash. */
        REPEATED
    }
}
