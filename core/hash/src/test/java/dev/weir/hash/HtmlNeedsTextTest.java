package dev.weir.hash;

import java.nio.charset.StandardCharsets;
import java.util.List;

import dev.weir.hash.PartVerdict.Reason;
import dev.weir.hash.kind.HashKind;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of the structure of HTML whose text is too short for any hash, which Rspamd does not hash. */
final class HtmlNeedsTextTest {
    private static final String PAGE = """
            Content-Type: text/html

            <html><head><title>t</title></head><body>
            <div class="header"><a href="http://example.com/">logo</a></div>
            <div class="content"><p>Text</p><a class="button" href="http://example.com/go">CTA</a>
            <img src="http://cdn.example.com/a.png" /></div>
            <div class="footer"><a href="http://example.com/out">unsubscribe</a></div></body></html>
            """;

    private static PartVerdict verdict(String mail, boolean needsText) {
        MailHasher hasher = MailHasher.standard();
        HashRule rule = HashRule.shipped().toBuilder().htmlShingles(true).htmlNeedsText(needsText).build();
        AnalyzedMail analyzed = hasher.reading(hasher.analyze(mail.getBytes(StandardCharsets.UTF_8)), rule);
        return hasher.explain(analyzed, rule, Skip.NOTHING).getFirst();
    }

    private static List<Reason> reasons(PartVerdict verdict) {
        return verdict.refusals().stream().filter(refusal -> refusal.kind() == HashKind.HTML)
                .map(PartVerdict.Refusal::reason).toList();
    }

    @Test
    void hashesTheStructureBesideAnyTextUnlessTheRuleNeedsIt() {
        PartVerdict free = verdict(PAGE, false);
        assertThat(free.hashes()).extracting(FuzzyHash::kind).containsExactly(HashKind.HTML);
        assertThat(reasons(free)).isEmpty();
        PartVerdict bound = verdict(PAGE, true);
        assertThat(bound.hashes()).isEmpty();
        assertThat(reasons(bound)).containsExactly(Reason.TEXT_REFUSED);
    }

    @Test
    void saysWhatBecameOfEveryStructure() {
        assertThat(reasons(verdict("Content-Type: text/plain\n\nwords\n", false))).containsExactly(Reason.NOT_HTML);
        assertThat(reasons(verdict("Content-Type: text/html\n\n<html><body><p>Hello <a href=\"http://example.com/\">"
                + "link</a></p></body></html>\n", false))).containsExactly(Reason.TOO_FEW_TAGS);
    }
}
