package dev.weir.interop;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.weir.hash.FuzzyHash;
import dev.weir.hash.HashKind;
import dev.weir.hash.PartVerdict;
import dev.weir.model.HtmlSides;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.FuzzyCheckOptions;
import dev.weir.scan.LearnReport;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.ScanContext;
import dev.weir.scan.Sides;
import dev.weir.scan.lua.LuaConditions;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.scan.rule.RuleSettings;
import dev.weir.scan.score.Curve;
import dev.weir.scan.upstream.UpstreamList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Goes through the page about the module {@code fuzzy_check} from top to bottom. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FuzzyCheckDocumentTest {
    private static final String SERVERS = "servers = \"127.0.0.1:9\"; algorithm = \"mumhash\"; max_score = 20; "
            + "fuzzy_map { A { flag = 1; max_score = 20 } } ";
    private static final String TEXT = "Content-Type: text/plain\n\n"
            + "some words that stand in a row of many ".repeat(30)
            + "\n";
    private static final String HEAD = "Content-Type: text/html\n\n";
    private static final String PAGE = """
            <html><head><title>t</title></head>
            <body>
              <div class="header"><a href="http://example.com/">logo</a></div>
              <div class="content">
                <p>Text</p>
                <a class="button" href="http://example.com/go">CTA</a>
                <img src="http://cdn.example.com/a.png" />
              </div>
              <div class="footer"><a href="http://example.com/out">unsubscribe</a></div>
            </body></html>
            """;
    private static final Pattern SCORE = Pattern.compile("Symbol: (\\w+) \\((-?[0-9.]+)\\)");

    private Path scratch = Path.of("");
    private Settings settings = new Settings(scratch);
    private AutoCloseable servers = () -> {};

    @BeforeAll
    void start(@TempDir Path folder) {
        scratch = folder;
        Programs.require("rspamd", "rspamc");
        settings = new Settings(scratch);
    }

    @AfterAll
    void stop() throws Exception {
        servers.close();
    }

    private RuleSettings rule(String options) throws Exception {
        return settings.rule("rule { " + SERVERS + options + " }");
    }

    private static List<HashKind> kinds(String mail, RuleSettings rule) {
        return Settings.verdict(mail, rule).hashes().stream().map(FuzzyHash::kind).toList();
    }

    private void patterns(Promises promises) {
        promises.row("uses 32 hashes", "hashes a text", () -> assertThat(
                Settings.verdict(TEXT, rule("")).hashes()).singleElement()
                .satisfies(hash -> assertThat(hash.shingles()).hasSize(32)))
                .row("using strict match", "hashes an attachment: no shingles", () -> assertThat(Settings.verdict(
                        "Content-Type: application/x-a; name=a\nContent-Disposition: attachment\n\n" + "x".repeat(2000),
                        rule("")).hashes()).singleElement()
                        .satisfies(hash -> assertThat(hash.hasShingles()).isFalse()));
    }

    private void html(Promises promises) {
        promises.row("different tokens will have different hashes", "changes one tag: other digest, similar shingles",
                () -> {
                    RuleSettings html = rule("html_shingles = true; ");
                    FuzzyHash one = Settings.verdict(HEAD + PAGE, html).hashes().getFirst();
                    FuzzyHash other = Settings.verdict(HEAD + PAGE.replace("<p>Text</p>", "<div>Text</div>"), html)
                            .hashes().getFirst();
                    assertThat(one.kind()).isEqualTo(HashKind.HTML);
                    assertThat(one.shingles()).hasSize(32);
                    assertThat(other.digest()).isNotEqualTo(one.digest());
                })
                .row("tagname[.class][@domain]", "reads the tokens of links, classes and paragraphs", () -> assertThat(
                        Settings.tokens(PAGE)).contains("div.header", "a@example.com", "a.button@example.com", "p"))
                .row("image from cdn", "differs, as in Rspamd 4.1.6: an image and a form have no domain of their own",
                        () -> assertThat(Settings.tokens(PAGE + "<form action=\"http://evil.com/\"></form>"))
                                .anyMatch(token -> token.startsWith("img")).anyMatch(token -> token.startsWith("form")))
                .row("Only first CSS class", "leaves out further, tracking and numeric classes", () -> assertThat(
                        Settings.tokens("<html><body><p class=\"a b\">x</p><i class=\"utm_x\">x</i>"
                                + "<b class=\"12345\">x</b></body></html>"))
                        .contains("p.a", "i", "b"))
                .row("eTLD+1", "keeps the registrable domain of a link", () -> assertThat(Settings.tokens(
                        "<html><body><a href=\"http://www.shop.example.co.uk/\">x</a></body></html>"))
                        .contains("a@example.co.uk"))
                .row("default: `false`", "a rule without options hashes no structure", () -> assertThat(
                        kinds(HEAD + PAGE, rule(""))).doesNotContain(HashKind.HTML))
                .row("min_html_tags", "10 tags by default, more on request", () -> {
                    assertThat(kinds(HEAD + PAGE, rule("html_shingles = true;"))).contains(HashKind.HTML);
                    assertThat(kinds(HEAD + PAGE, rule("html_shingles = true; min_html_tags = 50;")))
                            .doesNotContain(HashKind.HTML);
                })
                .row("Score multiplier", "reads html_weight and its alias in checks", () -> {
                    assertThat(rule("html_weight = 1.5;").score().htmlWeight()).isEqualTo(1.5);
                    assertThat(rule("checks { html { weight = 1.2; } }").score().htmlWeight()).isEqualTo(1.2);
                })
                .row("following sections are recognised", "reads every option of checks", () -> assertThat(
                        settings.rules("rule { " + SERVERS + """
                                checks = {
                                  text { enabled = true; no_subject = true; short_text_direct_hash = true;
                                         text_multiplier = 4.0; min_length = 64; }
                                  html { enabled = true; min_html_tags = 15; html_weight = 1.2; }
                                  images { enabled = false; min_height = 1; min_width = 1; }
                                  archives { enabled = true; }
                                } }
                                """).sound().rules().getFirst().score().htmlWeight()).isEqualTo(1.2))
                .row("Phishing detection", "reads the sample with a negative max_score", () -> assertThat(
                        settings.rule("""
                                rule "PHISHING_DETECT" {
                                  servers = "localhost:11335";
                                  algorithm = "mumhash";
                                  html_shingles = true;
                                  min_html_tags = 20;
                                  html_weight = 1.5;
                                  fuzzy_map = {
                                    FUZZY_PHISHING { flag = 20; max_score = 25.0; }
                                    FUZZY_LEGIT_BRANDS { flag = 21; max_score = -25.0; }
                                  }
                                }
                                """).score().flags().get(21L)).satisfies(
                                mapping -> assertThat(mapping.limit())
                                        .isEqualTo(-25)))
                .row("Spam campaigns", "the sample names no servers, which is an error as long as none are added",
                        () -> {
                            String sample = """
                                    rule "SPAM_CAMPAIGNS" {
                                      checks = {
                                        html { enabled = true; min_html_tags = 15; html_weight = 1.0; }
                                        text { enabled = true; }
                                      }
                                      fuzzy_map = { FUZZY_SPAM_TEMPLATES { flag = 200; max_score = 15.0; } }
                                    """;
                            assertThat(settings.rules("fuzzy_check { " + sample + "} }").messages())
                                    .contains("names no servers");
                            assertThat(settings.rules(sample + "servers = \"localhost\"; }").sound().rules())
                                    .hasSize(1);
                        })
                .row("Simple HTML that will be skipped", "no structure hash, with the reason", () -> {
                    PartVerdict verdict = Settings
                            .verdict(HEAD + "<html><body><p>Hello <a href=\"http://example.com/\">"
                                    + "link</a></p></body></html>\n", rule("html_shingles = true;"));
                    assertThat(verdict.hashes()).isEmpty();
                    assertThat(verdict.refusals()).anyMatch(refusal -> refusal.kind() == HashKind.HTML
                            && refusal.reason() == PartVerdict.Reason.TOO_FEW_TAGS);
                })
                .row("Complex HTML that will be hashed",
                        "a structure hash beside the shortest text; weir explain says it",
                        () -> {
                            assertThat(kinds(HEAD + PAGE, rule("html_shingles = true;")))
                                    .containsExactly(HashKind.HTML);
                            assertThat(kinds(HEAD + PAGE, rule("html_shingles = true; html_needs_text = true;")))
                                    .isEmpty();
                            Path mail = Files.writeString(scratch.resolve("page.eml"), HEAD + PAGE);
                            assertThat(Weir.run(scratch, "explain", "--html", mail.toString()).succeeded().out())
                                    .contains("hashed as html, 32 shingles");
                        })
                .row("CTA mismatch", "holds with html_similarity, see PhishingTest: 0.3 of the structure", () -> {
                    RuleSettings similar = rule("html_shingles = true; html_similarity = true;");
                    FuzzyHash brand = Settings.verdict(HEAD + PAGE, similar).hashes().getFirst();
                    FuzzyHash fake = Settings
                            .verdict(HEAD + PAGE.replace("example.com/go", "fake.example.net/go"), similar).hashes()
                            .getFirst();
                    HtmlSides one = Objects.requireNonNull(Sides.of(brand));
                    HtmlSides other = Objects.requireNonNull(Sides.of(fake));
                    assertThat(one.cta(other)).isEqualTo(HtmlSides.Cta.DIFFERENT);
                    assertThat(HtmlSides.similarity(0.8, one.cta(other), false, true, HtmlSides.OTHER_CTA))
                            .isCloseTo(0.24, org.assertj.core.api.Assertions.within(1e-9));
                })
                .row("Per-rule options", "reads html_similarity and html_other_cta, also in checks", () -> {
                    assertThat(rule("html_similarity = true; html_other_cta = 0.1;").score().otherCta())
                            .isEqualTo(0.1);
                    assertThat(rule("checks { html { similarity = true; other_cta = 0.5; } }").hashing().htmlSides())
                            .isTrue();
                })
                .row("get_html_fuzzy_hashes", "runs the sample as a learn condition", () -> assertThat(learned("""
                        return function(task)
                          local text_parts = task:get_text_parts()
                          for _, part in ipairs(text_parts) do
                            if part:is_html() then
                              local digest, shingles = part:get_html_fuzzy_hashes(task:get_mempool())
                              if digest and shingles then
                                return #digest == 128 and #shingles == 32 and shingles.cta_domains_hash ~= nil
                                  and shingles.all_domains_hash ~= nil and shingles.features_hash ~= nil
                                  and shingles.tags_count >= 10
                              end
                            end
                          end
                          return false
                        end
                        """, HEAD + PAGE).decision()).isEqualTo(LearnReport.Decision.LEARNS));
    }

    private void options(Promises promises) {
        promises.row("Structured checks configuration", "reads the sample; skip_images applies", () -> {
            RuleSettings rule = settings.rule("""
                    rule "FUZZY_CUSTOM" {
                      servers = "127.0.0.1:11335";
                      checks = {
                        text { enabled = true; min_length = 64; text_multiplier = 4.0; short_text_direct_hash = true; }
                        html { enabled = true; min_html_tags = 15; html_weight = 1.2; }
                        image { enabled = false; }
                      }
                      fuzzy_map = { FUZZY_DENIED { flag = 1; max_score = 20.0; } }
                    }
                    """);
            assertThat(rule.score().htmlWeight()).isEqualTo(1.2);
        }).row("Module outline", "reads every option of the module and of a rule", () -> assertThat(
                settings.rules(
                        """
                                fuzzy_check {
                                  max_errors = 4; min_bytes = 1k; min_height = 500; min_length = 64;
                                  retransmits = 1; revive_time = 60.0; symbol = "S"; text_multiplier = 4.0;
                                  whitelist = "192.0.2.1"; timeout = 2s; min_width = 500;
                                  rule { algorithm = "mumhash"; servers = "localhost"; fuzzy_key = "a";
                                    fuzzy_shingles_key = "b"; headers = ["Subject"]; max_score = 2;
                                    fuzzy_map = { A { max_score = 1; flag = 1; } };
                                    checks { }; mime_types = ["*"]; min_bytes = 1024; read_only = false;
                                    short_text_direct_hash = true; skip_unknown = true; symbol = "T";
                                    learn_condition = "return function(task) return true end"; }
                                }
                                """)
                        .sound().rules())
                .hasSize(1))
                .row("Whitelisted hashes map", "an error names the option that was written", () -> assertThat(
                        settings.rules("rule { " + SERVERS + " skip_hashes = \"zz\"; fuzzy_map { B { flag = 2; "
                                + "max_score = x } } }").messages())
                        .contains("\"skip_hashes\"", "\"max_score\""))
                .row("global options", "warns that sizes outside of rules have no effect, as in Rspamd since 1.8.2",
                        () -> assertThat(settings.rules("fuzzy_check { min_bytes = 1k; rule { " + SERVERS + "} }")
                                .messages()).contains("\"min_bytes\" of fuzzy_check has no effect"))
                .row("rotate or shard", "reads each rotation and names them beside a wrong one", () -> {
                    for (String word : List.of("round-robin", "random", "master-slave", "hash")) {
                        assertThat(UpstreamList.parse(List.of(word + ":a:1,b:2")).selection().word()).isEqualTo(word);
                    }
                    assertThat(settings.rules("rule { servers = \"rr:a:1\"; fuzzy_map { A { flag = 1 } } }").messages())
                            .contains("\"rr\"", "write one of round-robin, random, master-slave, hash");
                })
                .row("default value is `mumhash`", "differs, as in Rspamd: siphash, with a warning", () -> assertThat(
                        settings.rules("rule { servers = \"a\"; fuzzy_map { A { flag = 1; max_score = 1 } } }")
                                .messages())
                        .contains("names no algorithm and takes siphash"))
                .row("Base32 value for the hashing key", "plain text as in Rspamd; base32: decodes", () -> {
                    String bytes = dev.weir.wire.key.Base32.encode("secret".getBytes(StandardCharsets.UTF_8));
                    byte[] plain = digest("fuzzy_key = \"secret\";");
                    assertThat(digest("fuzzy_key = \"base32:" + bytes + "\";")).isEqualTo(plain);
                    assertThat(digest("fuzzy_key = \"" + bytes + "\";")).isNotEqualTo(plain);
                })
                .row("several `fuzzy_map` values",
                        "reads three symbols of one rule; a flag that no command carries warns",
                        () -> assertThat(settings.rules("rule { servers = \"a\"; fuzzy_map { FUZZY_DENIED { "
                                + "max_score = 20.0; flag = 1 } FUZZY_PROB { max_score = 10.0; flag = 2 } "
                                + "FUZZY_WHITE { max_score = 2.0; flag = 300 } } }").messages())
                                .contains("is 300, but commands of Rspamd carry flags up to 255"));
    }

    private byte[] digest(String option) throws Exception {
        return Settings.verdict(TEXT, rule(option)).hashes().getFirst().digest();
    }

    private void scores(Promises promises) {
        promises.row("added with a weight of `1`", "the weight 100 gives nearly 1 with the limit 20", () -> {
            assertThat(Curve.CURRENT.base(100, 20)).isGreaterThan(0.999);
        }).row("likely calculated through", "differs, as in Rspamd: 100 of 200 gives 0.876, not 0.2", () -> {
            assertThat(Curve.CURRENT.base(100, 200)).isBetween(0.875, 0.877);
        }).row("metric", "a metric with a name sets the weight, also in quotes", () -> {
            FuzzyCheckSettings read = settings.rules("""
                    metric { name = "default"; symbol { name = "A"; weight = "10.0"; } }
                    group "fuzzy" { symbols { A { weight = 12 } } }
                    fuzzy_check { rule { %s} }
                    """.formatted(SERVERS)).sound();
            assertThat(read.symbols().symbol("A").weight()).isEqualTo(10);
        });
    }

    private void training(Promises promises, WeirHttp weir, RspamdPeer rspamd, Mails mails) {
        promises.row("has value `100500`", "the full weight, in Weir and in Rspamd 3.4 on the same storage", () -> {
            weir.rspamc("-f", "1", "-w", "100500", "fuzzy_add", mails.campaign().toString()).succeeded();
            assertThat(score(weir.rspamc(mails.campaign().toString()).succeeded().out())).isEqualTo("12.00");
            assertThat(score(rspamd.scan(mails.campaign()))).isEqualTo("12.00");
        }).row("has value `10`", "differs, as in Rspamd: 10 of 20 gives 0.876 of the weight, not 0.2", () -> {
            weir.rspamc("-f", "1", "-w", "10", "fuzzy_add", mails.unrelated().toString()).succeeded();
            assertThat(score(weir.rspamc(mails.unrelated().toString()).succeeded().out())).isEqualTo("10.51");
            assertThat(score(rspamd.scan(mails.unrelated()))).isEqualTo("10.51");
        }).row("rspamc -f <flag> fuzzy_del", "forgets a mail", () -> {
            weir.rspamc("-f", "1", "fuzzy_del", mails.unrelated().toString()).succeeded();
            assertThat(weir.rspamc(mails.unrelated().toString()).succeeded().out()).doesNotContain("FUZZY_DENIED");
        }).row("fuzzy_delhash", "forgets the digest that a scan or learning printed", () -> {
            String learned = weir.rspamc("-f", "1", "fuzzy_add", mails.unrelated().toString()).succeeded().out();
            Matcher digest = Pattern.compile("\"([0-9a-f]{128})\"").matcher(learned);
            assertThat(digest.find()).isTrue();
            weir.rspamc("-f", "1", "fuzzy_delhash", digest.group(1)).succeeded();
            assertThat(weir.rspamc(mails.unrelated().toString()).succeeded().out()).doesNotContain("FUZZY_DENIED");
        }).row("rspamc -f 300",
                "Weir learns it through the extension; refused with the reason where no server says that "
                        + "it takes it",
                () -> {
                    FuzzyCheckSettings rules = settings
                            .rules("rule \"r\" { servers = \"127.0.0.1:9\"; algorithm = mumhash; "
                                    + "fuzzy_map { A { flag = 300; max_score = 1 } } }")
                            .sound();
                    try (FuzzyCheck check = FuzzyCheck.open(rules, dev.weir.hash.MailHasher.standard())) {
                        assertThat(
                                check.learn(TEXT.getBytes(StandardCharsets.UTF_8), LearnRequest.add(300, 1)).join()
                                        .failure())
                                .hasValueSatisfying(failure -> assertThat(failure.message())
                                        .contains("flag 300 is not sent"));
                    }
                    FuzzyCheckSettings own = settings.rules("rule \"r\" { servers = \"127.0.0.1:" + weir.storage()
                            + "\"; algorithm = mumhash; fuzzy_map { A { flag = 300; max_score = 1 } } }").sound();
                    try (FuzzyCheck check = FuzzyCheck.open(own, dev.weir.hash.MailHasher.standard())) {
                        byte[] mail = TEXT.getBytes(StandardCharsets.UTF_8);
                        assertThat(check.learn(mail, LearnRequest.add(300, 5)).join().failure()).isEmpty();
                        assertThat(check.check(mail, ScanContext.NONE).join().matches()).singleElement()
                                .satisfies(match -> assertThat(match.flag()).isEqualTo(300));
                    }
                })
                .row("whether this task should be considered",
                        "a learn condition that fails is the reason in the report", () -> {
                            LearnReport.RuleOutcome outcome = learned("return function(task) return task:no_such() end",
                                    TEXT);
                            assertThat(outcome.reason()).contains("no_such");
                        });
    }

    private static String score(String report) {
        Matcher matcher = SCORE.matcher(report);
        while (matcher.find()) {
            if (matcher.group(1).endsWith("DENIED")) {
                return matcher.group(2);
            }
        }
        return "none";
    }

    /** Rehearses learning of a mail under a condition. */
    private LearnReport.RuleOutcome learned(String script, String mail) throws Exception {
        FuzzyCheckSettings rules = settings.rules("rule \"r\" { " + SERVERS + " html_shingles = true; "
                + "learn_condition = <<EOD\n" + script + "\nEOD\n}\n").sound();
        try (LuaConditions conditions = new LuaConditions();
                FuzzyCheck check = FuzzyCheck.open(rules, dev.weir.hash.MailHasher.standard(),
                        FuzzyCheckOptions.DEFAULT.withConditions(conditions))) {
            return check.rehearse(mail.getBytes(StandardCharsets.UTF_8), LearnRequest.add(1, 1)).join().rules()
                    .getFirst();
        }
    }

    @TestFactory
    Stream<DynamicTest> document() throws Exception {
        WeirHttp weir = WeirHttp.start(scratch);
        servers = weir;
        RspamdPeer rspamd = RspamdPeer.start(scratch, new RspamdPeer.Setup(weir.storage(), null, null));
        servers = () -> {
            weir.close();
            rspamd.close();
        };
        Promises promises = new Promises();
        patterns(promises);
        html(promises);
        options(promises);
        scores(promises);
        training(promises, weir, rspamd, Mails.in(scratch));
        return promises.tests();
    }
}
