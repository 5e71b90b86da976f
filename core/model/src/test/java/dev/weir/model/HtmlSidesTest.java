package dev.weir.model;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class HtmlSidesTest {
    private final HtmlSides bank = new HtmlSides(1, 2, 3);

    private double similarity(double structure, HtmlSides other) {
        return HtmlSides.similarity(structure, bank.cta(other), bank.allDomains() == other.allDomains(),
                bank.features() == other.features(), HtmlSides.OTHER_CTA);
    }

    /** The weights and the factor of Rspamd's documents. */
    @Test
    void differentDestinationsOutweighASharedTemplate() {
        assertThat(similarity(1, bank)).isCloseTo(1.0, within(1e-9));
        assertThat(similarity(1, new HtmlSides(1, 9, 3))).isCloseTo(0.3, within(1e-9));
        assertThat(similarity(0.8, new HtmlSides(9, 9, 3))).isCloseTo(0.24, within(1e-9));
        assertThat(similarity(1, new HtmlSides(1, 0, 3))).isCloseTo(0.85, within(1e-9));
        assertThat(similarity(1, new HtmlSides(9, 2, 9))).isCloseTo(0.825, within(1e-9));
        assertThat(similarity(0.5, bank)).isCloseTo(0.75, within(1e-9));
    }

    @Test
    void onlyTwoKnownDestinationsDiffer() {
        assertThat(HtmlSides.cta(5, 6)).isEqualTo(HtmlSides.Cta.DIFFERENT);
        assertThat(HtmlSides.cta(5, 0)).isEqualTo(HtmlSides.Cta.UNKNOWN);
        assertThat(HtmlSides.cta(0, 0)).isEqualTo(HtmlSides.Cta.SAME);
        assertThat(HtmlSides.cta(5, 5)).isEqualTo(HtmlSides.Cta.SAME);
    }

    @Test
    void aCompleteSignatureBringsSideHashesToOneWithout() {
        Signature bare = Signature.of(new long[Signature.SLOTS], 0);
        assertThat(bare.addsSides(false)).isFalse();
        assertThat(bare.withSides(bank).addsSides(false)).isTrue();
        assertThat(bare.withSides(bank).addsSides(true)).isFalse();
        assertThat(Signature.partial(new long[Signature.SLOTS], 0, 1).withSides(bank).addsSides(false)).isFalse();
        assertThat(bare.withSides(bank)).isNotEqualTo(bare).isEqualTo(bare.withSides(new HtmlSides(1, 2, 3)));
    }
}
