package dev.weir.wire.reply;

import dev.weir.model.HtmlSides;

/**
 * How similar an HTML match is to what was asked, which a storage of Weir adds to its reply
 * (docs/reference/protocol.md#extensions-of-weir).
 *
 * @param structure the share of equal shingles, 0..1
 * @param similarity the similarity of the HTML, 0..1
 * @param cta how the call-to-action domains relate
 * @param sameDomains whether the most frequent domains are the same
 * @param sameFeatures whether the features are the same
 * @param guarded whether the template is also that of a hash with a protecting flag and the same domains
 */
public record SideMatch(float structure, float similarity, HtmlSides.Cta cta, boolean sameDomains,
        boolean sameFeatures, boolean guarded) {
    static final int KIND = 1;
    static final int BYTES = 2 * Float.BYTES + 1;

    private static final int CTA_SAME = 1;
    private static final int CTA_UNKNOWN = 2;
    private static final int DOMAINS = 4;
    private static final int FEATURES = 8;
    private static final int GUARDED = 16;

    /** Returns the bits of an encoded match. */
    public static int bits(HtmlSides.Cta cta, boolean sameDomains, boolean sameFeatures, boolean guarded) {
        return switch (cta) {
            case SAME -> CTA_SAME;
            case UNKNOWN -> CTA_UNKNOWN;
            case DIFFERENT -> 0;
        } | (sameDomains ? DOMAINS : 0) | (sameFeatures ? FEATURES : 0) | (guarded ? GUARDED : 0);
    }

    static SideMatch of(float structure, float similarity, int bits) {
        HtmlSides.Cta cta = (bits & CTA_SAME) != 0
                ? HtmlSides.Cta.SAME
                : (bits & CTA_UNKNOWN) != 0 ? HtmlSides.Cta.UNKNOWN : HtmlSides.Cta.DIFFERENT;
        return new SideMatch(structure, similarity, cta, (bits & DOMAINS) != 0, (bits & FEATURES) != 0,
                (bits & GUARDED) != 0);
    }
}
