package dev.weir.hash;

import java.nio.charset.StandardCharsets;

import dev.weir.hash.release.Release;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests that a rule chooses the release whose hashes it makes. */
final class ReleaseTest {
    private static final HashRule LATEST = HashRule.shipped();
    private static final HashRule OLDER = LATEST.toBuilder().like(Release.V3_4).build();
    private static final String WORDS = "<p>the quick brown fox</p>".repeat(30);

    private final MailHasher hasher = MailHasher.standard();

    @Test
    void ruleDecidesHowHtmlIsRead() {
        AnalyzedMail mail = html("<div style=\"opacity:0\">hidden words</div>" + WORDS);
        AnalyzedMail shown = html("<div>hidden words</div>" + WORDS);
        assertThat(hasher.hash(mail, OLDER, Skip.NOTHING)).isEqualTo(hasher.hash(shown, LATEST, Skip.NOTHING));
        assertThat(hasher.hash(mail, LATEST, Skip.NOTHING)).isNotEqualTo(hasher.hash(shown, LATEST, Skip.NOTHING));
    }

    @Test
    void rulesOfBothReleasesShareTheRestOfTheAnalysis() {
        AnalyzedMail mail = html(WORDS);
        assertThat(hasher.hash(mail, OLDER, Skip.NOTHING)).hasSize(1)
                .isEqualTo(hasher.hash(mail, LATEST, Skip.NOTHING));
        AnalyzedMail plain = hasher.analyze("\n\nplain words ".repeat(40).getBytes(StandardCharsets.UTF_8));
        assertThat(hasher.hash(plain, OLDER, Skip.NOTHING)).hasSize(1)
                .isEqualTo(hasher.hash(plain, LATEST, Skip.NOTHING));
    }

    private AnalyzedMail html(String body) {
        return hasher.analyze(("Content-Type: text/html; charset=utf-8\n\n" + body).getBytes(StandardCharsets.UTF_8));
    }
}
