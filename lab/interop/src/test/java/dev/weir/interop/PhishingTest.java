package dev.weir.interop;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

import dev.weir.hash.MailHasher;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.LearnReport;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.scan.score.FuzzyMatch;
import dev.weir.testkit.FreePort;
import dev.weir.wire.reply.SideMatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * The phishing scenarios of the page about {@code fuzzy_check}: with a page as shops send them, and with newsletters
 * that were really sent.
 */
class PhishingTest {
    private static final String BRAND = "www.northwind-market.com";
    private static final String BUTTON = "class=\"button\" href=\"https://" + BRAND;
    private static final int PHISHING = 20;
    private static final int BRANDS = 21;
    private static final int NEWSLETTERS = 300;

    @TempDir
    private Path scratch = Path.of("");

    private static String page() throws Exception {
        try (InputStream in = Objects.requireNonNull(PhishingTest.class.getResourceAsStream("html/order.html"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Returns a mail of the SpamAssassin corpus. */
    static byte[] real(String name) throws Exception {
        try (InputStream in = Objects.requireNonNull(PhishingTest.class.getResourceAsStream("html/" + name))) {
            return in.readAllBytes();
        }
    }

    private static byte[] mail(String html) {
        return ("From: Northwind <orders@northwind-market.com>\nSubject: Your order\nMIME-Version: 1.0\n"
                + "Content-Type: text/html; charset=utf-8\n\n" + html).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] brand() throws Exception {
        return mail(page());
    }

    /** The same letter to another customer, with one more article. */
    private static byte[] nextLetter() throws Exception {
        String item = "<tr class=\"item\"><td class=\"picture\"><img src=\"https://images.northwind-cdn.net/p/3.jpg\">"
                + "</td><td class=\"name\"><a href=\"https://" + BRAND + "/p/3\">Kettle</a></td></tr>"
                + "</table></td></tr>";
        return mail(page().replace("Dana", "Alex").replace("Ceramic coffee dripper", "Garden hose, 20 m")
                .replace("$33.30", "$71.00").replaceFirst("</table></td></tr>", item)
                .replace("should arrive on Thursday", "will be with you by the end of the week"));
    }

    private static byte[] phish() throws Exception {
        return mail(page().replace(BUTTON, "class=\"button\" href=\"https://login.northwind-parcels.xyz"));
    }

    private FuzzyCheckSettings rules(int port, String options) throws Exception {
        return new Settings(scratch).rules("""
                fuzzy_check { rule "PHISHING_DETECT" {
                  servers = "127.0.0.1:%d";
                  algorithm = "mumhash";
                  text_hashes = false;
                  html_shingles = true;
                  min_html_tags = 20;
                  %s
                  fuzzy_map = {
                    FUZZY_PHISHING { flag = 20; max_score = 1.0; }
                    FUZZY_LEGIT_BRANDS { flag = 21; max_score = -1.0; }
                    FUZZY_NEWSLETTER { flag = 300; max_score = 1.0; }
                  }
                } }
                group "fuzzy" { symbols {
                  FUZZY_PHISHING { weight = 10 } FUZZY_LEGIT_BRANDS { weight = 10 } FUZZY_NEWSLETTER { weight = 10 }
                } }
                """.formatted(port, options)).sound();
    }

    private FuzzyCheck open(int port) throws Exception {
        return FuzzyCheck.open(rules(port, "html_similarity = true;"), MailHasher.standard());
    }

    private static ScanResult scan(FuzzyCheck check, byte[] mail) {
        return check.check(mail, ScanContext.NONE).join();
    }

    private static FuzzyMatch match(ScanResult result) {
        assertThat(result.matches()).as("%s", result).isNotEmpty();
        return result.matches().getFirst();
    }

    private static LearnReport learn(FuzzyCheck check, int flag, byte[] mail) {
        return check.learn(mail, LearnRequest.add(flag, 10)).join();
    }

    private static SideMatch sides(FuzzyMatch match) {
        return Objects.requireNonNull(match.sides(), "the storage did not compare the side hashes");
    }

    /** Scenario 1: a phishing mail must not profit from the good name of the brand whose page it copies. */
    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "store"})
    void aCopyThatLeadsElsewhereIsNoBrandAndABrandIsNoCopy(String backend) throws Exception {
        Path data = scratch.resolve("data");
        try (WeirStorage storage = WeirStorage.start(data, "--backend", backend);
                FuzzyCheck check = open(storage.port())) {
            assertThat(learn(check, BRANDS, brand()).success()).isTrue();
            assertThat(scan(check, brand()).score()).isCloseTo(-10, within(0.1));
            copyIsNoBrand(scan(check, phish()));
        }
        // What the storage knows of the page outlives it.
        try (WeirStorage storage = WeirStorage.start(data, "--backend", backend);
                FuzzyCheck check = open(storage.port())) {
            copyIsNoBrand(scan(check, phish()));
            assertThat(learn(check, PHISHING, phish()).success()).isTrue();
            assertThat(scan(check, phish()).score()).isCloseTo(10, within(0.1));
            ScanResult genuine = scan(check, nextLetter());
            assertThat(genuine.symbols()).filteredOn(symbol -> symbol.name().equals("FUZZY_PHISHING"))
                    .allSatisfy(symbol -> assertThat(symbol.score()).isLessThanOrEqualTo(3));
        }
    }

    private static void copyIsNoBrand(ScanResult copy) {
        FuzzyMatch match = match(copy);
        SideMatch sides = sides(match);
        assertThat(sides.structure()).isGreaterThan(0.6f);
        assertThat(match.probability()).isCloseTo(0.3 * sides.structure(), within(1e-6)).isLessThan(0.31);
        assertThat(copy.score()).isZero();
        assertThat(copy.symbols().getFirst().options().getFirst()).contains(":html:", "cta=different",
                "features=same");
    }

    /** Scenario 2: another letter of the brand is found by its page, and so is a flag beyond 255. */
    @Test
    void anotherLetterIsFoundByItsTemplate() throws Exception {
        try (WeirStorage storage = WeirStorage.start(scratch.resolve("data"));
                FuzzyCheck check = open(storage.port())) {
            assertThat(learn(check, NEWSLETTERS, brand()).failure()).isEmpty();
            ScanResult next = scan(check, nextLetter());
            FuzzyMatch match = match(next);
            assertThat(match.flag()).isEqualTo(NEWSLETTERS);
            assertThat(sides(match).cta()).isEqualTo(dev.weir.model.HtmlSides.Cta.SAME);
            assertThat(match.probability()).isGreaterThan(0.8).isGreaterThan(sides(match).structure());
            assertThat(next.score()).isGreaterThan(5);
        }
    }

    /** Scenario 3: somebody reports genuine mail. Its text may count, its page must not. */
    @Test
    void theTemplateOfWantedMailIsNotLearned() throws Exception {
        try (WeirStorage storage = WeirStorage.start(scratch.resolve("data"));
                FuzzyCheck check = open(storage.port())) {
            assertThat(learn(check, BRANDS, brand()).success()).isTrue();
            LearnReport report = learn(check, PHISHING, nextLetter());
            assertThat(report.success()).isFalse();
            assertThat(report.rules().getFirst().decision()).isEqualTo(LearnReport.Decision.PROTECTED);
            assertThat(report.failure().orElseThrow().message()).contains("that of wanted mail");
            assertThat(learn(check, PHISHING, phish()).success()).as("a copy is not protected").isTrue();
        }
    }

    @Test
    void aTemplateThatWasReportedFirstLosesItsWeight() throws Exception {
        try (WeirStorage storage = WeirStorage.start(scratch.resolve("data"));
                FuzzyCheck check = open(storage.port())) {
            assertThat(learn(check, PHISHING, nextLetter()).success()).isTrue();
            double before = scan(check, nextLetter()).score();
            assertThat(before).isGreaterThan(9);
            assertThat(learn(check, BRANDS, brand()).success()).isTrue();
            ScanResult after = scan(check, nextLetter());
            assertThat(sides(match(after)).guarded()).isTrue();
            assertThat(after.score()).isCloseTo(0.3 * before, within(0.01));
            assertThat(after.symbols().getFirst().options().getFirst()).endsWith("guarded");
        }
    }

    /** A hash learned without side hashes counts as before, until one brings them. */
    @Test
    void hashesWithoutSideHashesKeepWorking() throws Exception {
        try (WeirStorage storage = WeirStorage.start(scratch.resolve("data"));
                FuzzyCheck plain = FuzzyCheck.open(rules(storage.port(), ""), MailHasher.standard());
                FuzzyCheck check = open(storage.port())) {
            assertThat(learn(plain, PHISHING, phish()).success()).isTrue();
            FuzzyMatch old = match(scan(check, brand()));
            assertThat(old.sides()).isNull();
            assertThat(old.probability()).isGreaterThan(0.5);
            assertThat(learn(check, PHISHING, phish()).success()).isTrue();
            FuzzyMatch now = match(scan(check, brand()));
            assertThat(now.probability()).isCloseTo(0.3 * old.probability(), within(1e-6));
            assertThat(match(scan(plain, brand())).probability()).isEqualTo(old.probability());
        }
    }

    /** All scenarios with letters of the SpamAssassin corpus: two of each newsletter, a copy that leads elsewhere. */
    @ParameterizedTest
    @ValueSource(strings = {"investor-letter", "daily-dispatch"})
    void realNewsletters(String name) throws Exception {
        byte[] letter = real(name + ".eml");
        byte[] next = real(name + "-next.eml");
        byte[] copy = new String(letter, StandardCharsets.ISO_8859_1)
                .replace("clickthru.online.com", "clickthru.0nline-news.xyz").getBytes(StandardCharsets.ISO_8859_1);
        try (WeirStorage storage = WeirStorage.start(scratch.resolve("data"));
                FuzzyCheck check = open(storage.port())) {
            assertThat(learn(check, BRANDS, letter).success()).isTrue();
            assertThat(scan(check, letter).score()).isCloseTo(-10, within(0.1));
            assertThat(match(scan(check, next)).probability()).as("another letter").isGreaterThan(0.85);
            assertThat(scan(check, next).score()).isLessThan(-8);
            copyIsNoBrand(scan(check, copy));
            assertThat(learn(check, PHISHING, next).rules().getFirst().decision())
                    .as("a report of genuine mail").isEqualTo(LearnReport.Decision.PROTECTED);
            assertThat(learn(check, PHISHING, copy).success()).isTrue();
            assertThat(scan(check, copy).score()).isCloseTo(10, within(0.1));
            assertThat(scan(check, next).symbols()).filteredOn(symbol -> symbol.name().equals("FUZZY_PHISHING"))
                    .allSatisfy(symbol -> assertThat(symbol.score()).isLessThanOrEqualTo(3));
        }
    }

    @Test
    void sideHashesTravelThroughDumps() throws Exception {
        Path first = scratch.resolve("first");
        Path second = scratch.resolve("second");
        Path dump = scratch.resolve("a.dump");
        try (WeirStorage storage = WeirStorage.start(first); FuzzyCheck check = open(storage.port())) {
            assertThat(learn(check, BRANDS, brand()).success()).isTrue();
        }
        Weir.run(scratch, "export", dump.toString(), "--data", first.toString()).succeeded();
        Weir.run(scratch, "import", dump.toString(), "--data", second.toString()).succeeded();
        try (WeirStorage storage = WeirStorage.start(second, "--backend", "store");
                FuzzyCheck check = open(storage.port())) {
            copyIsNoBrand(scan(check, phish()));
        }
    }

    @Test
    void explainShowsTheFourParts() throws Exception {
        Path one = Files.write(scratch.resolve("brand.eml"), brand());
        Path other = Files.write(scratch.resolve("phish.eml"), phish());
        Path next = Files.write(scratch.resolve("next.eml"), nextLetter());
        assertThat(Weir.run(scratch, "explain", "--html", one.toString(), other.toString()).out()).contains(
                "0.3 of the structure, because the call to action leads elsewhere", "structure: 0.",
                "call-to-action domains: different", "all domains: different", "features: the same");
        assertThat(Weir.run(scratch, "explain", "--html", one.toString(), next.toString()).out()).contains(
                "structure (50 %): 0.", "call-to-action domains (30 %): the same", "all domains (15 %): ",
                "features (5 %): ");
    }

    /** Rspamd 3.4 drops what it does not know. No report may say that it stored something. */
    @Test
    void rspamdNeverStoresAFlagUnderAnotherNumber() throws Exception {
        Programs.require("rspamd");
        int port = FreePort.find();
        try (RspamdPeer rspamd = RspamdPeer.start(scratch, new RspamdPeer.Setup(null, null,
                new RspamdPeer.OwnStorage(port, RspamdPeer.sqlite(scratch.resolve("rspamd.db")), null)));
                FuzzyCheck check = FuzzyCheck.open(rules(port, "timeout = 0.3s; retransmits = 1;"),
                        MailHasher.standard())) {
            assertThat(rspamd).isNotNull();
            LearnReport report = learn(check, NEWSLETTERS, brand());
            assertThat(report.success()).isFalse();
            assertThat(report.failure().orElseThrow().message()).contains("flag 300 is not sent");
            assertThat(learn(check, PHISHING, brand()).success()).as("without an extension").isTrue();
        }
    }
}
