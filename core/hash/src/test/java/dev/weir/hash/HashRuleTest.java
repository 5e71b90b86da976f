package dev.weir.hash;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

import dev.weir.hash.kind.HashKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of options that the recorded mails do not cover: globs, edge values of limits, exclusions of learn requests.
 */
final class HashRuleTest {
    private static final MailHasher HASHER = MailHasher.standard();

    @ParameterizedTest
    @CsvSource({"application/*, application/pdf, true", "application/*, image/png, false", "*, anything/at-all, true",
        "*/x-*, video/x-foo, true", "*/x-*, video/foo, false", "APPLICATION/PDF, application/pdf, true",
        "a?c/*, abc/d, true", "a?c/*, ac/d, false", "a*b*c, axxbxxbc, true", "a*b*c, axxbxxb, false", "a, ab, false",
        "*/, a/, true", "'', a, false"})
    void globs(String pattern, String mediaType, boolean matches) {
        assertThat(new MediaTypeGlob(pattern).matches(mediaType)).isEqualTo(matches);
    }

    @Test
    void manyStarsAreCheap() {
        String pattern = "*a".repeat(50) + "b";
        assertThat(new MediaTypeGlob(pattern).matches("a".repeat(2000))).isFalse();
    }

    private static byte[] attachment(int bytes) {
        String body = Base64.getEncoder().encodeToString(new byte[bytes]);
        return ("""
                Subject: x
                Content-Type: application/x-foo; name=a.bin
                Content-Transfer-Encoding: base64
                Content-Disposition: attachment; filename=a.bin

                """ + body).getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void hashesAttachmentsOfAtLeastMinBytes() {
        HashRule rule = HashRule.builder().minBytes(100).build();
        assertThat(HASHER.hash(attachment(99), rule)).isEmpty();
        assertThat(HASHER.hash(attachment(100), rule)).singleElement().satisfies(hash -> {
            assertThat(hash.kind()).isEqualTo(HashKind.ATTACHMENT);
            assertThat(hash.hasShingles()).isFalse();
            assertThat(hash.part()).isZero();
        });
        assertThat(HASHER.hash(attachment(0), rule.toBuilder().minBytes(0).build())).isEmpty();
        assertThat(HASHER.hash(attachment(100), rule.toBuilder().mimeTypes(List.of("image/*")).build())).isEmpty();
    }

    @Test
    void sizeOfAShortTextIncludesTheSubject() {
        byte[] mail = "Subject: 0123456789\n\n0123456789\n".getBytes(StandardCharsets.US_ASCII);
        HashRule rule = HashRule.builder().textMultiplier(1.0).minBytes(21).build();
        List<FuzzyHash> with = HASHER.hash(mail, rule);
        assertThat(with).extracting(FuzzyHash::kind).containsExactly(HashKind.SHORT_TEXT);
        assertThat(HASHER.hash(mail, rule.toBuilder().minBytes(22).build())).isEmpty();
        assertThat(HASHER.hash(mail, rule.toBuilder().noSubject(true).build())).isEmpty();
        assertThat(HASHER.hash(mail, rule.toBuilder().noSubject(true).minBytes(11).build())).isNotEmpty()
                .isNotEqualTo(with);
    }

    @Test
    void learnRequestCanExcludeTexts() {
        byte[] mail = ("Subject: x\n\n" + "some words that repeat ".repeat(40)).getBytes(StandardCharsets.US_ASCII);
        AnalyzedMail analyzed = HASHER.analyze(mail);
        HashRule rule = HashRule.recommended();
        assertThat(analyzed.wordCount(0)).isEqualTo(160);
        assertThat(HASHER.hash(analyzed, rule, Skip.NOTHING)).extracting(FuzzyHash::kind)
                .containsExactly(HashKind.TEXT);
        assertThat(HASHER.hash(analyzed, rule, new Skip(false, true))).isEmpty();
    }

    @Test
    void keysChangeTheHashes() {
        byte[] mail = ("Subject: x\n\n" + "some words that repeat ".repeat(40)).getBytes(StandardCharsets.US_ASCII);
        FuzzyHash plain = HASHER.hash(mail, HashRule.shipped()).getFirst();
        FuzzyHash keyed = HASHER.hash(mail, HashRule.shipped().toBuilder().fuzzyKey("other").build()).getFirst();
        FuzzyHash shingled = HASHER.hash(mail, HashRule.shipped().toBuilder().fuzzyShinglesKey("other").build())
                .getFirst();
        assertThat(keyed.digest()).isNotEqualTo(plain.digest());
        assertThat(keyed.shingles()).isEqualTo(plain.shingles());
        assertThat(shingled.digest()).isEqualTo(plain.digest());
        assertThat(shingled.shingles()).isNotEqualTo(plain.shingles());
    }
}
