package dev.weir.hash;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;

import dev.weir.hash.kind.HashKind;
import dev.weir.hash.mime.MimePart;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests that a plain text takes the language of its HTML alternative; every expectation matches Rspamd's output. */
final class AlternativeLanguageTest {
    private static final String ENGLISH = "The quick report about our garden says that seventy small birds came back "
            + "this spring and built their nests under the old roof of the red house near the river.";
    private static final String PLAIN = part("plain", ENGLISH);
    private static final String HTML = part("html", "<p>" + ENGLISH + "</p>");
    private static final String JAPANESE = part("html", "<p>お客様のアカウントは一時的に停止されています。</p>");

    private final MailHasher hasher = MailHasher.standard();

    @Test
    void aPlainTextHasTheLanguageOfItsAlternative() {
        assertThat(languages(multipart("alternative", PLAIN, JAPANESE))).isEqualTo("ja ja");
        assertThat(languages(multipart("alternative", JAPANESE, PLAIN))).isEqualTo("ja ja");
        assertThat(languages(multipart("alternative", PLAIN, multipart("related", JAPANESE)))).isEqualTo("ja ja");
        assertThat(languages(multipart("alternative", PLAIN, PLAIN, JAPANESE))).isEqualTo("ja en ja");
    }

    @Test
    void otherPartsKeepTheirLanguage() {
        assertThat(languages(multipart("mixed", PLAIN, JAPANESE))).isEqualTo("en ja");
        assertThat(languages(multipart("alternative", "Content-Type: message/rfc822\n\n" + PLAIN, JAPANESE)))
                .isEqualTo("en ja");
    }

    @Test
    void onlyTheLastPairCounts() {
        String japanese = multipart("alternative", PLAIN, JAPANESE);
        String english = multipart("alternative", PLAIN, HTML);
        assertThat(languages(multipart("mixed", japanese, english))).isEqualTo("en ja en en");
        assertThat(languages(multipart("mixed", english, japanese))).isEqualTo("en en ja ja");
    }

    /** A Japanese text needs a third of the words of an English one. */
    @Test
    void theLanguageDecidesHowManyWordsAreEnough() {
        byte[] mail = mail(multipart("alternative", PLAIN, JAPANESE));
        assertThat(hasher.hash(mail, HashRule.shipped())).extracting(FuzzyHash::kind).contains(HashKind.TEXT);
        assertThat(hasher.hash(mail(PLAIN), HashRule.shipped())).extracting(FuzzyHash::kind)
                .doesNotContain(HashKind.TEXT);
    }

    private String languages(String body) {
        AnalyzedMail mail = hasher.analyze(mail(body));
        return mail.parts().stream().map(MimePart::number).map(mail::language)
                .filter(language -> language != null && !language.isEmpty()).collect(Collectors.joining(" "));
    }

    private static byte[] mail(String body) {
        return ("Subject: x\n" + body).getBytes(StandardCharsets.UTF_8);
    }

    private static String part(String subtype, String text) {
        return "Content-Type: text/" + subtype + "; charset=utf-8\n\n" + text + "\n";
    }

    private static String multipart(String subtype, String... parts) {
        String boundary = "b" + Arrays.hashCode(parts);
        return "Content-Type: multipart/" + subtype + "; boundary=\"" + boundary + "\"\n\n"
                + Arrays.stream(parts).map(part -> "--" + boundary + "\n" + part).collect(Collectors.joining())
                + "--" + boundary + "--\n";
    }
}
