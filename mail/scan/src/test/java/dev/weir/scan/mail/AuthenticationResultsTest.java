package dev.weir.scan.mail;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import dev.weir.hash.url.PublicSuffixes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

final class AuthenticationResultsTest {
    private static final String FROM = "From: Service <service@intl.paypal.com>\n";

    private static Optional<String> aligned(String headers) {
        return AuthenticationResults.alignedDomain(
                MailHeaders.of((headers + "\nbody").getBytes(StandardCharsets.ISO_8859_1)), Set.of("mx.example.org"),
                PublicSuffixes.standard());
    }

    @ParameterizedTest
    @ValueSource(strings = {"mx.example.org; dkim=pass header.d=paypal.com header.s=pp-dkim1",
        "MX.example.org 1; spf=pass smtp.mailfrom=a@b.test;\n dkim=pass (2048-bit key; ok) header.i=@paypal.com"
                + "\n header.d=PayPal.com header.b=abc",
        "mx.example.org; dkim=fail header.d=other.test; dkim=pass header.d=\"mail.paypal.com\"",
        "mx.example.org; dkim=pass header.i=@paypal.com header.s=pp-dkim1",
        "mx.example.org; dkim=pass header.i=service@mail.paypal.com"})
    void findsAnAlignedSignature(String field) {
        assertThat(aligned("Authentication-Results: " + field + "\n" + FROM)).contains("paypal.com");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mx.evil.test; dkim=pass header.d=paypal.com",
        "mx.example.org; dkim=fail header.d=paypal.com", "mx.example.org; dkim=pass header.d=evil.test",
        "mx.example.org; none", "mx.example.org; dkim=fail (dkim=pass header.d=paypal.com)",
        "mx.example.org; spf=pass reason=\"; dkim=pass header.d=paypal.com\"", ";;;", "",
        "mx.example.org; dkim=pass header.d=notpaypal.com", "mx.example.org; dkim=pass header.i=paypal.com@evil.test",
        "mx.example.org; dkim=pass header.d=paypal.com.evil.test"})
    void refusesEverythingElse(String field) {
        assertThat(aligned("Authentication-Results: " + field + "\n" + FROM)).isEmpty();
    }

    /** A sender can write such a field, but not above the one of the server. */
    @Test
    void onlyTheFirstFieldOfATrustedHostCounts() {
        assertThat(aligned("Authentication-Results: mx.example.org; dkim=none\n"
                + "Authentication-Results: mx.example.org; dkim=pass header.d=paypal.com\n" + FROM)).isEmpty();
        assertThat(aligned("Authentication-Results: other.test; dkim=none\n"
                + "Authentication-Results: mx.example.org; dkim=pass header.d=paypal.com\n" + FROM))
                .contains("paypal.com");
    }

    @Test
    void aMailWithTwoSendersHasNone() {
        assertThat(aligned("Authentication-Results: mx.example.org; dkim=pass header.d=paypal.com\n" + FROM + FROM))
                .isEmpty();
    }

    /** A calendar sends in the name of its user, with its own signature. */
    @Test
    void aPlatformIsAuthenticatedAsSender() {
        String results = "Authentication-Results: mx.example.org; dkim=pass header.i=@google.com; dkim=pass "
                + "header.d=club.test\n";
        String from = "From: Jane <jane@club.test>\n";
        String sender = "Sender: Calendar <notification@google.com>\n";
        assertThat(sender(results + from + sender)).contains("google.com");
        assertThat(aligned(results + from + sender)).contains("club.test");
        assertThat(sender(results + from)).isEmpty();
        assertThat(sender(results + from + sender + sender)).as("two senders").isEmpty();
        assertThat(sender(results + from + "Sender: <a@evil.test>\n")).isEmpty();
        assertThat(sender("Authentication-Results: mx.example.org; dkim=pass header.d=evil.test\n" + from + sender))
                .isEmpty();
    }

    private static Optional<String> sender(String headers) {
        return AuthenticationResults.alignedSender(
                MailHeaders.of((headers + "\nbody").getBytes(StandardCharsets.ISO_8859_1)), Set.of("mx.example.org"),
                PublicSuffixes.standard());
    }

    @Test
    void separatesWordsCommentsAndQuotes() {
        assertThat(AuthenticationResults.parse("a (x (y) \\) z) b;c=\"d; \\\"e\""))
                .isEqualTo(List.of(List.of("a", "b"), List.of("c=d; \"e")));
    }
}
