package dev.weir.model;

/**
 * Three 64-bit hashes that supplement the signature of the structure of HTML
 * (docs/reference/hashing.md#side-hashes). They tell a copy of a template that leads elsewhere from the template.
 *
 * @param allDomains hash of the ten most frequent domains; 0 if there is none
 * @param ctaDomains hash of the call-to-action domains; 0 if there is none
 * @param features hash of the counts, coarsely grouped; never 0
 */
public record HtmlSides(long allDomains, long ctaDomains, long features) {
    /** The length of the encoded hashes in bytes. */
    public static final int BYTES = 3 * Long.BYTES;

    /** The part of the structure that counts if the call-to-action domains differ. */
    public static final double OTHER_CTA = 0.3;

    /** How the call-to-action domains of two HTML parts relate. */
    public enum Cta {
        /** Both have the same, or both have none. */
        SAME,
        /** One of them has none. */
        UNKNOWN,
        /** They lead to different domains. */
        DIFFERENT
    }

    /** Returns how the call-to-action domains relate to those of another part. */
    public Cta cta(HtmlSides other) {
        return cta(ctaDomains, other.ctaDomains);
    }

    /** Returns how two hashes of call-to-action domains relate. */
    public static Cta cta(long one, long other) {
        if (one == other) {
            return Cta.SAME;
        }
        return one == 0 || other == 0 ? Cta.UNKNOWN : Cta.DIFFERENT;
    }

    /**
     * Returns the similarity of two HTML parts, from 0 to 1 (docs/reference/hashing.md#side-hashes). If both lead to
     * known and different domains, only a fraction of the structure counts.
     *
     * @param structure the share of equal shingles, 0..1
     * @param otherCta the fraction that counts if the call-to-action domains differ, 0..1
     */
    public static double similarity(double structure, Cta cta, boolean sameDomains, boolean sameFeatures,
            double otherCta) {
        return switch (cta) {
            case DIFFERENT -> otherCta * structure;
            case SAME, UNKNOWN -> 0.5 * structure + 0.3 * (cta == Cta.SAME ? 1 : 0.5) + (sameDomains ? 0.15 : 0)
                    + 0.05 * (sameFeatures ? 1 : 0.5);
        };
    }
}
