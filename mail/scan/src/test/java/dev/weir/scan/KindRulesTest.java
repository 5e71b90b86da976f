package dev.weir.scan;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.weir.hash.MailHasher;
import dev.weir.scan.rule.TestSettings;
import dev.weir.scan.score.FuzzyMatch;
import dev.weir.scan.score.SymbolResult;
import dev.weir.testkit.ScriptedStorage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** Rules with kinds beyond those of Rspamd: flags, scores and guards. */
final class KindRulesTest {
    private static final String KINDS = "kinds { trusted_hosts = \"mx.example.org\"; max_weight = 0.8; source {} "
            + "chars { flag_offset = 50 } links {} picture {} subject { weight = 0.25 } }";

    @RegisterExtension
    final Opened open = new Opened();

    private FuzzyCheck check(ScriptedStorage storage, String kinds) throws Exception {
        storage.keepsFlags = true;
        return open.add(FuzzyCheck.open(TestSettings.of("group \"fuzzy\" { symbols { DENIED { weight = 12 } "
                + "WHITE { weight = -2 } } }\nfuzzy_check { timeout = 5s; retransmits = 0; rule \"r\" { "
                + "algorithm = mumhash; servers = \""
                + storage.address() + "\"; hits_limit = 20; " + kinds
                + " fuzzy_map { DENIED { flag = 1 } WHITE { flag = 2 } } } }"), MailHasher.standard()));
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    /** A mail of a campaign. The text differs, and it is too short to be hashed by Rspamd. */
    static byte[] mail(String headers, String text) {
        return (headers + "From: <a@evil-site.com>\nSubject: Your mailbox is nearly full\nMIME-Version: 1.0\n"
                + "Content-Type: text/html\n\n<html><body bgcolor=white><table width=600 cellpadding=0 border=0 "
                + "align=center><tr><td style=\"font-family: Arial; color: red; margin: auto\"><img src=\""
                + "https://pictures.evil-site.com/campaign/banner-one.jpg\" width=600><p align=center>" + text
                + "</p><a href=\"https://login.evil-site.com/confirm?user=1\">Confirm</a><a href=\""
                + "https://other.evil-site.com/\">Other</a></td></tr></table></body></html>\n")
                .getBytes(StandardCharsets.UTF_8);
    }

    private static final byte[] SPAM = mail("", "please confirm your mailbox now, before it is closed");

    @Test
    void aRuleWithoutTheSectionMakesNone() throws Exception {
        FuzzyCheck check = check(open.storage(), "");
        assertThat(check.hashes(SPAM, 1).rules().get("r")).noneMatch(hash -> hash.type().endsWith("1"));
        assertThat(check(open.storage(), "kinds { source { enabled = false } }").settings().rules().getFirst().kinds()
                .kinds()).isEmpty();
    }

    @Test
    void kindsHaveFlagsOfTheirOwnAndOneCappedScore() throws Exception {
        FuzzyCheck check = check(open.storage(), KINDS);
        LearnReport report = get(check.learn(SPAM, LearnRequest.add(1, 20)));
        assertThat(report.whole()).isTrue();
        ScanResult result = get(check.check(SPAM, ScanContext.NONE));
        assertThat(result.matches()).extracting(FuzzyMatch::type, FuzzyMatch::flag).contains(
                org.assertj.core.groups.Tuple.tuple("source1", 21L), org.assertj.core.groups.Tuple.tuple("chars1", 51L),
                org.assertj.core.groups.Tuple.tuple("links1", 61L),
                org.assertj.core.groups.Tuple.tuple("picture1", 81L),
                org.assertj.core.groups.Tuple.tuple("subject1", 101L));
        assertThat(result.symbols()).singleElement().satisfies(symbol -> {
            assertThat(symbol.name()).isEqualTo("DENIED");
            assertThat(symbol.options()).anyMatch(option -> option.startsWith("kinds=source1 ")
                    && option.endsWith(" capped at 0.80"));
        });
        // The cap is a share of a whole hit, which scores 12.
        assertThat(result.score()).isCloseTo(0.8 * 12, within(1e-9));
        assertThat(get(check.learn(SPAM, LearnRequest.delete(1))).whole()).isTrue();
        assertThat(get(check.check(SPAM, ScanContext.NONE)).matches()).isEmpty();
    }

    @Test
    void wantedMailIsLearnedApartAndItsTemplateIsNotLearnedAsSpam() throws Exception {
        FuzzyCheck check = check(open.storage(), KINDS);
        assertThat(get(check.learn(SPAM, LearnRequest.add(2, 20))).whole()).isTrue();
        LearnReport report = get(check.learn(SPAM, LearnRequest.add(1, 20)));
        assertThat(report.rules().getFirst().reason())
                .contains("source1 is left out, because it is near learned wanted")
                .contains("subject1 is left out");
        assertThat(get(check.check(SPAM, ScanContext.NONE)).matches()).noneMatch(match -> match.type().endsWith("1"));
    }

    /** The order must not matter: spam that was learned first does not count any more. */
    @Test
    void wantedMailThatIsLearnedLaterEndsTheHitsOfItsTemplate() throws Exception {
        FuzzyCheck check = check(open.storage(), KINDS);
        get(check.learn(SPAM, LearnRequest.add(1, 20)));
        assertThat(get(check.check(SPAM, ScanContext.NONE)).score()).isPositive();
        get(check.learn(SPAM, LearnRequest.add(2, 20)));
        ScanResult result = get(check.check(SPAM, ScanContext.NONE));
        assertThat(result.matches()).noneMatch(match -> match.type().endsWith("1"));
        assertThat(result.log()).anyMatch(line -> line.contains("a hit of source1 under rule r does not count: it is "
                + "near learned wanted mail"));
    }

    @Test
    void authenticatedBrandsAreExempt() throws Exception {
        byte[] genuine = new String(mail("Authentication-Results: mx.example.org; dkim=pass header.d=paypal.com\n",
                "your receipt"), StandardCharsets.UTF_8).replace("a@evil-site.com", "service@paypal.com")
                .getBytes(StandardCharsets.UTF_8);
        FuzzyCheck check = check(open.storage(), KINDS);
        LearnReport report = get(check.learn(genuine, LearnRequest.add(1, 20)));
        assertThat(report.rules().getFirst().reason())
                .contains("the sender is authenticated as paypal.com, which is exempt");
        assertThat(get(check.check(genuine, ScanContext.NONE)).matches())
                .noneMatch(match -> match.type().endsWith("1"));
        // The list can be replaced.
        FuzzyCheck other = check(open.storage(), KINDS.replace("kinds {", "kinds { brands = [\"example.net\"];"));
        assertThat(get(other.learn(genuine, LearnRequest.add(1, 20))).rules().getFirst().reason()).isEmpty();
    }

    @Test
    void aRehearsalShowsWhatALearnWouldTouch() throws Exception {
        ScriptedStorage storage = open.storage();
        FuzzyCheck check = check(storage, KINDS);
        get(check.learn(SPAM, LearnRequest.add(1, 20)));
        Map<String, Integer> before = Map.copyOf(storage.values);
        LearnReport report = get(check.rehearse(SPAM, LearnRequest.add(1, 20)));
        assertThat(report.rules().getFirst().touched()).extracting(LearnReport.Touched::type)
                .contains("source1", "chars1", "links1", "picture1", "subject1");
        assertThat(report.rules().getFirst().touched()).allMatch(touched -> touched.nearest()
                .startsWith("the nearest known one shares 100 %"));
        assertThat(storage.values).isEqualTo(before);
    }

    @Test
    void withoutAnAnswerAboutWantedMailAHitDoesNotCount() throws Exception {
        ScriptedStorage storage = open.storage();
        FuzzyCheck check = check(storage, KINDS);
        get(check.learn(SPAM, LearnRequest.add(1, 20)));
        int asked = get(check.check(SPAM, ScanContext.NONE)).asked().size();
        java.util.concurrent.atomic.AtomicInteger left = new java.util.concurrent.atomic.AtomicInteger(asked);
        storage.script = command -> left.decrementAndGet() >= 0;
        ScanResult result = get(check.check(SPAM, ScanContext.NONE));
        assertThat(result.matches()).noneMatch(match -> match.type().endsWith("1"));
        assertThat(result.log()).anyMatch(line -> line.contains("no server told whether wanted mail is near"));
    }

    @Test
    void symbolsStayThoseOfTheRule() throws Exception {
        FuzzyCheck check = check(open.storage(), KINDS);
        get(check.learn(SPAM, LearnRequest.add(1, 20)));
        assertThat(get(check.check(mail("", "something else, and quite different"), ScanContext.NONE)).symbols())
                .extracting(SymbolResult::name).containsExactly("DENIED");
    }
}
