package dev.weir.hash.url;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class PublicSuffixesTest {
    @Test
    void readsTheEffectiveRules() {
        PublicSuffixes list = PublicSuffixes.parse("// comment\n\ncom\nco.uk trailing words\n*.ck\n!www.ck\nрф\n");
        assertThat(list.registrableDomain("a.b.com")).isEqualTo("b.com");
        assertThat(list.registrableDomain("a.b.co.uk")).isEqualTo("b.co.uk");
        assertThat(list.registrableDomain("a.b.c.ck")).isEqualTo("b.c.ck");
        assertThat(list.registrableDomain("www.ck")).isEqualTo("www.ck");
        assertThat(list.registrableDomain("x.пример.рф")).isEqualTo("пример.рф");
        assertThat(list.registrableDomain("x.y.xn--p1ai")).isEqualTo("y.xn--p1ai");
        assertThat(list.registrableDomain("b.co.de")).isNull();
        assertThat(list.registrableDomain("com")).isNull();
        assertThat(list.registrableDomain("")).isNull();
    }

    @Test
    void builtInListHasPrivateSuffixes() {
        assertThat(PublicSuffixes.standard().registrableDomain("a.b.github.io")).isEqualTo("b.github.io");
        assertThat(PublicSuffixes.standard().registrableDomain("github.io")).isEqualTo("github.io");
        assertThat(PublicSuffixes.standard().endName("museum", null)).isTrue();
    }
}
