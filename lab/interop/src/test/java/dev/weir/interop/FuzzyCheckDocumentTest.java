package dev.weir.interop;

import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.weir.hash.FuzzyHash;
import dev.weir.hash.MailHasher;
import dev.weir.hash.PartVerdict;
import dev.weir.hash.kind.HashKind;
import dev.weir.hash.release.Release;
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
import dev.weir.testkit.FreePort;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

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
    private @Nullable Servers servers;
    private @Nullable WeirHttp weirAlone;

    /**
     * The programs of this test.
     *
     * @param theirs the port of a storage of Rspamd 3.4
     */
    private record Servers(WeirHttp weir, RspamdPeer rspamd, int theirs, Mails mails) {}

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        scratch = folder;
        Programs.require("rspamd", "rspamc");
        settings = new Settings(scratch);
        WeirHttp weir = WeirHttp.start(scratch);
        weirAlone = weir;
        int theirs = FreePort.find();
        RspamdPeer rspamd = RspamdPeer.start(scratch, new RspamdPeer.Setup(weir.storage(), null,
                new RspamdPeer.OwnStorage(theirs, RspamdPeer.sqlite(scratch.resolve("theirs.db")), null)));
        servers = new Servers(weir, rspamd, theirs, Mails.in(scratch));
    }

    @AfterAll
    void stop() {
        if (servers != null) {
            servers.rspamd().close();
        }
        if (weirAlone != null) {
            weirAlone.close();
        }
    }

    private Servers servers() {
        return Objects.requireNonNull(servers, "the programs are not started");
    }

    private Programs.Result rspamc(String... arguments) throws Exception {
        return servers().weir().rspamc(arguments);
    }

    private String storage() {
        return "127.0.0.1:" + servers().weir().storage();
    }

    private String campaign() {
        return servers().mails().campaign().toString();
    }

    private String unrelated() {
        return servers().mails().unrelated().toString();
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

    private void words(Promises promises) {
        promises.row("trigrams (3-grams)",
                "the shingles of a text follow from windows of three words: words in another "
                        + "order share no shingle, one other word leaves most",
                () -> {
                    String text = numbered(300);
                    long[] one = shingles(text);
                    assertThat(equal(one, shingles(text.replace("word150 ", "another ")))).isGreaterThan(20);
                    assertThat(equal(one, shingles(reversed(300)))).isZero();
                }).row("including siphash, mumhash, and others",
                        "reads every name of an algorithm; their shingles differ",
                        () -> {
                            List<long[]> seen = new ArrayList<>();
                            for (String name : List.of("siphash", "mumhash", "xxhash", "fasthash")) {
                                seen.add(Settings.verdict(TEXT, settings.rule("rule { "
                                        + SERVERS.replace("mumhash", name) + " }")).hashes().getFirst().shingles());
                            }
                            for (int i = 1; i < seen.size(); i++) {
                                assertThat(equal(seen.get(0), seen.get(i))).isZero();
                            }
                        });
    }

    private static String numbered(int words) {
        return IntStream.range(0, words).mapToObj(i -> "word" + i).collect(Collectors.joining(" "));
    }

    private static String reversed(int words) {
        return IntStream.range(0, words).mapToObj(i -> "word" + (words - 1 - i)).collect(Collectors.joining(" "));
    }

    private long[] shingles(String text) throws Exception {
        return Settings.verdict("Content-Type: text/plain\n\n" + text + "\n", rule("")).hashes().getFirst().shingles();
    }

    private static int equal(long[] one, long[] other) {
        return (int) IntStream.range(0, one.length).filter(i -> one[i] == other[i]).count();
    }

    private FuzzyHash structure(String page) throws Exception {
        return Settings.verdict(HEAD + page, rule("html_shingles = true; html_similarity = true; ")).hashes().stream()
                .filter(hash -> hash.kind() == HashKind.HTML).findFirst().orElseThrow();
    }

    private HtmlSides sides(String page) throws Exception {
        return Objects.requireNonNull(Sides.of(structure(page)));
    }

    private List<PartVerdict.Reason> refused(String page) throws Exception {
        return Settings.verdict(HEAD + page, rule("html_shingles = true;")).refusals().stream()
                .filter(refusal -> refusal.kind() == HashKind.HTML).map(PartVerdict.Refusal::reason).toList();
    }

    /** A page with rows, each of which has a link. */
    private static String table(String... links) {
        StringBuilder page = new StringBuilder("<html><body><table>");
        for (String link : links) {
            page.append("<tr class=\"item\"><td><p><a href=\"http://").append(link).append("/\">x</a></p></td></tr>");
        }
        return page.append("</table></body></html>\n").toString();
    }

    private void structures(Promises promises) {
        promises.row("independent of text content", "other words in the same page: the same digest of the structure",
                () -> assertThat(structure(PAGE.replace("Text", "Other words of this week")).digest())
                        .isEqualTo(structure(PAGE).digest()))
                .row("tolerance to small structural changes", "one more tag: another digest, most shingles equal",
                        () -> {
                            String long1 = table("a.com", "b.com", "c.com", "d.com", "e.com", "f.com", "g.com",
                                    "h.com");
                            long[] one = structure(long1).shingles();
                            long[] other = structure(long1.replaceFirst("<p>", "<p><i></i>")).shingles();
                            assertThat(equal(one, other)).isBetween(17, 31);
                        })
                .row("Links with `class=\"button\"`", "the domain of a button is the call to action; that of an "
                        + "image is not", () -> {
                            HtmlSides page = sides(PAGE);
                            assertThat(page.cta(sides(PAGE.replace("example.com/go", "other.net/go"))))
                                    .isEqualTo(HtmlSides.Cta.DIFFERENT);
                            assertThat(page.cta(sides(PAGE.replace("cdn.example.com", "cdn.other.net"))))
                                    .isEqualTo(HtmlSides.Cta.SAME);
                        })
                .row("top-10 most frequent link domains",
                        "the order of links does not count, the eleventh domain does not",
                        () -> {
                            long all = sides(table("a.com", "b.com", "c.com")).allDomains();
                            assertThat(sides(table("c.com", "a.com", "b.com")).allDomains()).isEqualTo(all);
                            assertThat(sides(table("c.com", "a.com", "d.com")).allDomains()).isNotEqualTo(all);
                            String[] ten = IntStream.range(0, 20).mapToObj(i -> "d" + i / 2 + ".com")
                                    .toArray(String[]::new);
                            String[] more = java.util.Arrays.copyOf(ten, 21);
                            more[20] = "rare.com";
                            assertThat(sides(table(more)).allDomains()).isEqualTo(sides(table(ten)).allDomains());
                        })
                .row("Bucketing ensures minor variations", "one more tag keeps the features, a form changes them",
                        () -> {
                            long features = sides(PAGE).features();
                            assertThat(sides(PAGE.replace("<p>Text</p>", "<p>Text</p><p>More</p>")).features())
                                    .isEqualTo(features);
                            assertThat(sides(PAGE.replace("<p>Text</p>", "<form><input type=\"password\"></form>"))
                                    .features())
                                    .isNotEqualTo(features);
                        })
                .row("0.50 × structure_shingles_similarity", "computes the sum of the four parts", () -> {
                    assertThat(HtmlSides.similarity(0.8, HtmlSides.Cta.SAME, true, true, HtmlSides.OTHER_CTA))
                            .isCloseTo(0.5 * 0.8 + 0.3 + 0.15 + 0.05, within(1e-9));
                    assertThat(HtmlSides.similarity(0.8, HtmlSides.Cta.SAME, false, true, HtmlSides.OTHER_CTA))
                            .isCloseTo(0.5 * 0.8 + 0.3 + 0.05, within(1e-9));
                })
                .row("At least 2 links", "one link in a large page: refused with the reason", () -> assertThat(refused(
                        table("a.com").replace("</table>", "<tr><td><p>x</p></td></tr>".repeat(6) + "</table>")))
                        .containsExactly(PartVerdict.Reason.TOO_FEW_LINKS))
                .row("At least DOM depth 3", "a flat page: refused with the reason", () -> assertThat(refused(
                        "<html><body>" + "<a href=\"http://a.com/\">x</a><p>y</p>".repeat(8) + "</body></html>\n"))
                        .containsExactly(PartVerdict.Reason.TOO_FLAT))
                .row("Scenario 1", "a real newsletter, learned as a brand through rspamc; a copy whose links lead "
                        + "elsewhere counts with 0.3 of its structure, and another letter counts whole (PhishingTest "
                        + "has all scenarios)", this::scenarios)
                .row("~300 bytes final structure", "digest, 32 shingles and three side hashes are 344 bytes",
                        () -> assertThat(
                                structure(PAGE).digest().length + structure(PAGE).shingles().length * Long.BYTES
                                        + HtmlSides.BYTES)
                                .isEqualTo(344))
                .cannotBe("MurmurHash recommended", "no Rspamd has an algorithm of that name; it is refused with those "
                        + "that exist", "`mumhash` is meant",
                        () -> assertThat(settings.rules("rule { "
                                + SERVERS.replace("\"mumhash\"", "\"murmurhash\"") + " }").messages())
                                .contains("mumhash"));
    }

    /** A storage and an HTTP interface with a rule for HTML. */
    private WeirHttp html(Path data) throws Exception {
        int storage = FreePort.find();
        Path file = Files.writeString(data.resolve("weir.conf"), """
                worker "fuzzy" {
                  bind_socket = "127.0.0.1:%1$d"; database = "%2$s/fuzzy.db"; allow_update = ["127.0.0.1"];
                }
                worker "controller" { bind_socket = "127.0.0.1:%3$d"; secure_ip = ["127.0.0.1"]; }
                fuzzy_check { rule "html" { servers = "127.0.0.1:%1$d"; algorithm = "mumhash"; read_only = false;
                  html_shingles = true; html_similarity = true; text_hashes = false;
                  fuzzy_map { BRAND { flag = 1; max_score = -5 } } } }
                group "fuzzy" { symbols { BRAND { weight = 5 } } }
                """.formatted(storage, data, FreePort.find()));
        return WeirHttp.configured(scratch, file);
    }

    private void scenarios() throws Exception {
        Path letter = Files.write(scratch.resolve("letter.eml"), PhishingTest.real("investor-letter.eml"));
        Path next = Files.write(scratch.resolve("next.eml"), PhishingTest.real("investor-letter-next.eml"));
        Path copy = Files.writeString(scratch.resolve("copy.eml"), Files.readString(letter, StandardCharsets.ISO_8859_1)
                .replace("clickthru.online.com", "clickthru.0nline-news.xyz"), StandardCharsets.ISO_8859_1);
        try (WeirHttp weir = html(Files.createDirectory(scratch.resolve("brand")))) {
            weir.rspamc("-f", "1", "-w", "10", "fuzzy_add", letter.toString()).succeeded();
            String report = weir.rspamc(letter.toString(), next.toString(), copy.toString()).succeeded().out();
            assertThat(reportOf(letter, report)).contains("Symbol: BRAND (-", "cta=same");
            assertThat(reportOf(next, report)).contains("Symbol: BRAND (-", "cta=same");
            assertThat(reportOf(copy, report)).contains("cta=different").doesNotContain("Symbol: BRAND (-");
        }
    }

    /** Returns what {@code rspamc} says about a file. It asks about all at once and prints the answers as they come. */
    private static String reportOf(Path file, String report) {
        return Stream.of(report.split("Results for file: ", -1)).filter(part -> part.startsWith(file.toString()))
                .findFirst().orElseThrow();
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
                .differs("image from cdn", "as in Rspamd 4.1.6: an image and a form have no domain of their own",
                        "no choice: what Rspamd hashes must not change",
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
                .row("Phishing detection", "reads the sample with a negative max_score; it lacks html_similarity, "
                        + "which config check says, so a copy that leads elsewhere counts as the page", () -> {
                            String sample = """
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
                                    """;
                            assertThat(settings.rule(sample).score().flags().get(21L)).satisfies(
                                    mapping -> assertThat(mapping.limit()).isEqualTo(-25));
                            assertThat(settings.rule(sample).hashing().htmlSides()).isFalse();
                        })
                .differs("Spam campaigns", "the sample names no servers, which is an error as long as none are added",
                        "no choice: a rule needs a storage",
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
                .differs("CTA mismatch",
                        "by default a copy that leads elsewhere matches whole, as in Rspamd, also with the "
                                + "page's own sample for phishing; with html_similarity it counts 0.3 (PhishingTest)",
                        "`html_similarity`", () -> {
                            assertThat(rule("html_shingles = true;").hashing().htmlSides()).isFalse();
                            RuleSettings similar = rule("html_shingles = true; html_similarity = true;");
                            FuzzyHash brand = Settings.verdict(HEAD + PAGE, similar).hashes().getFirst();
                            FuzzyHash fake = Settings
                                    .verdict(HEAD + PAGE.replace("example.com/go", "fake.example.net/go"), similar)
                                    .hashes()
                                    .getFirst();
                            HtmlSides one = Objects.requireNonNull(Sides.of(brand));
                            HtmlSides other = Objects.requireNonNull(Sides.of(fake));
                            assertThat(one.cta(other)).isEqualTo(HtmlSides.Cta.DIFFERENT);
                            assertThat(HtmlSides.similarity(0.8, one.cta(other), false, true, HtmlSides.OTHER_CTA))
                                    .isCloseTo(0.24, within(1e-9));
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

    private void rules(Promises promises) {
        promises.row("default: `1.0`", "reads the default of html_weight",
                () -> assertThat(rule("").score().htmlWeight())
                        .isEqualTo(1.0))
                .row("Legacy boolean flags", "skip_images and text_hashes beside checks: both apply", () -> {
                    assertThat(kinds(TEXT, rule("text_hashes = false; checks { html { enabled = true; } }"))).isEmpty();
                    assertThat(kinds(HEAD + PAGE, rule("text_hashes = false; checks { html { enabled = true; } }")))
                            .containsExactly(HashKind.HTML);
                    assertThat(kinds(TEXT, rule("html_shingles = true; checks { text { enabled = false; } }")))
                            .isEmpty();
                })
                .row("Combined text+HTML", "reads the sample with servers: both kinds on one flag", () -> {
                    RuleSettings rule = settings.rule("""
                            rule "COMBINED" {
                              servers = "localhost"; algorithm = "mumhash";
                              checks = {
                                text { enabled = true; min_length = 32; }
                                html { enabled = true; min_html_tags = 10; }
                              }
                              fuzzy_map = { FUZZY_COMBINED_SPAM { flag = 10; max_score = 20.0; } }
                            }
                            """);
                    assertThat(rule.score().flags()).containsOnlyKeys(10L);
                    String words = IntStream.range(0, 50).mapToObj(i -> "<b>word" + i + "</b>")
                            .collect(Collectors.joining(" "));
                    assertThat(kinds(HEAD + PAGE.replace("Text", words), rule))
                            .containsExactlyInAnyOrder(HashKind.TEXT, HashKind.HTML);
                })
                .row("the following are defaults in 1.9.4", "reads timeout and retransmits for every rule", () -> {
                    RuleSettings rule = settings
                            .rules("fuzzy_check { min_bytes = 1k; timeout = 2s; retransmits = 1; rule { "
                                    + SERVERS + "} }")
                            .sound().rules().getFirst();
                    assertThat(rule.timeout()).isEqualTo(Duration.ofSeconds(2));
                    assertThat(rule.retransmits()).isEqualTo(1);
                })
                .row("IPs in this list bypass", "a mail from a whitelisted address is not checked", () -> {
                    FuzzyCheckSettings rules = settings.rules("fuzzy_check { whitelist = \"192.0.2.0/24\"; rule { "
                            + SERVERS.replace("127.0.0.1:9", storage()) + "} }").sound();
                    byte[] mail = Files.readAllBytes(servers().mails().campaign());
                    try (FuzzyCheck check = FuzzyCheck.open(rules, MailHasher.standard())) {
                        assertThat(check.learn(mail, LearnRequest.add(1, 5)).join().failure()).isEmpty();
                        assertThat(check.check(mail, ScanContext.NONE).join().matches()).isNotEmpty();
                        ScanContext listed = new ScanContext(InetAddress.ofLiteral("192.0.2.1"), null, null, null, null,
                                null, List.of(), Map.of());
                        assertThat(check.check(mail, listed).join().matches()).isEmpty();
                        assertThat(check.learn(mail, LearnRequest.delete(1)).join().failure()).isEmpty();
                    }
                })
                .row("required to have a `servers` list", "a rule without one is an error with file and line",
                        () -> assertThat(
                                settings.rules("rule { fuzzy_map { A { flag = 1; max_score = 1 } } }").messages())
                                .contains("fuzzy_check.conf:1:", "servers"))
                .row("`encryption_key`", "reads a key of weir keypair; another text is an error", () -> {
                    KeyFile key = KeyFile.generate(scratch);
                    assertThat(rule("encryption_key = \"" + key.publicKey() + "\";").readKey()).isPresent();
                    assertThat(settings.rules("rule { " + SERVERS + " encryption_key = \"x\"; }").messages())
                            .contains("encryption_key");
                })
                .row("`short_text_direct_hash`", "a short text has a digest with the option only", () -> {
                    String mail = "Content-Type: text/plain\n\n" + numbered(60) + "\n";
                    assertThat(Settings.verdict(mail, rule("min_length = 64; short_text_direct_hash = true;")).hashes())
                            .singleElement().satisfies(hash -> assertThat(hash.hasShingles()).isFalse());
                    assertThat(kinds(mail, rule("min_length = 64; short_text_direct_hash = false;"))).isEmpty();
                })
                .row("ignore unknown flags",
                        "a hit with a flag outside of fuzzy_map: the symbol of the rule, or none with "
                                + "skip_unknown",
                        () -> {
                            byte[] mail = Files.readAllBytes(servers().mails().campaign());
                            String storage = SERVERS.replace("127.0.0.1:9", storage());
                            String other = "rule { " + storage.replace("flag = 1", "flag = 9") + "%s }";
                            try (FuzzyCheck check = FuzzyCheck.open(settings.rules("rule { " + storage + " }").sound(),
                                    MailHasher.standard())) {
                                assertThat(check.learn(mail, LearnRequest.add(1, 5)).join().failure()).isEmpty();
                                assertThat(found(other.formatted("symbol = \"OTHER\";"), mail))
                                        .containsExactly("OTHER");
                                assertThat(found(other.formatted("symbol = \"OTHER\"; skip_unknown = true;"), mail))
                                        .isEmpty();
                                assertThat(check.learn(mail, LearnRequest.delete(1)).join().failure()).isEmpty();
                            }
                        })
                .row("rule \"FUZZY_CUSTOM\"", "reads the second sample of that name, with servers and options of 3.14",
                        () -> {
                            RuleSettings rule = settings.rule("""
                                    rule "FUZZY_CUSTOM" {
                                      servers = "127.0.0.1:11335";
                                      mime_types = ["application/*"];
                                      max_score = 20.0;
                                      skip_unknown = yes;
                                      read_only = no;
                                      algorithm = "mumhash";
                                      min_bytes = 1024;
                                      checks = {
                                        text { enabled = true; min_length = 64; text_multiplier = 4.0;
                                               short_text_direct_hash = true; }
                                        html { enabled = true; min_html_tags = 10; }
                                        image { enabled = false; }
                                        archives { enabled = true; }
                                      }
                                      text_shingles = true;
                                      skip_images = false;
                                    }
                                    """);
                            assertThat(rule.mode().writes()).isTrue();
                            assertThat(rule.score().skipUnknown()).isTrue();
                        });
    }

    private List<String> found(String rule, byte[] mail) throws Exception {
        try (FuzzyCheck check = FuzzyCheck.open(settings.rules(rule).sound(), MailHasher.standard())) {
            return check.check(mail, ScanContext.NONE).join().symbols().stream().map(symbol -> symbol.name()).toList();
        }
    }

    /** Posts a mail to the HTTP interface with some fields and returns the answer. */
    private String post(String path, String... fields) throws Exception {
        HttpRequest.Builder request = HttpRequest
                .newBuilder(URI.create("http://127.0.0.1:" + servers().weir().port() + path))
                .POST(HttpRequest.BodyPublishers.ofFile(servers().mails().unrelated()));
        if (fields.length > 0) {
            request.headers(fields);
        }
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString()).body();
        }
    }

    private void service(Promises promises) {
        promises.row("accessible by `rspamc` or HTTP", "learns by a request to /fuzzyadd with the fields Flag and "
                + "Weight, and finds the mail by one to /checkv2", () -> {
                    assertThat(post("/fuzzyadd", "Flag", "1", "Weight", "50")).contains("\"success\":true");
                    assertThat(post("/checkv2")).contains("FUZZY_DENIED");
                    assertThat(post("/fuzzydel", "Flag", "1")).contains("\"success\":true");
                    assertThat(post("/checkv2")).doesNotContain("FUZZY_DENIED");
                });
        promises.row("Controller should allow privileged commands",
                "without secure_ip and password, rspamc is refused; "
                        + "with the password it learns",
                () -> {
                    Path data = Files.createDirectory(scratch.resolve("closed"));
                    int storage = FreePort.find();
                    Path file = Files.writeString(data.resolve("weir.conf"), """
                            worker "fuzzy" { bind_socket = "127.0.0.1:%1$d"; database = "%2$s/fuzzy.db";
                              allow_update = ["127.0.0.1"]; }
                            worker "controller" { bind_socket = "127.0.0.1:%3$d"; secure_ip = ["192.0.2.1"];
                              enable_password = "write"; }
                            fuzzy_check { rule { servers = "127.0.0.1:%1$d"; algorithm = "mumhash";
                              fuzzy_map { A { flag = 1; max_score = 20 } } } }
                            """.formatted(storage, data, FreePort.find()));
                    String mail = campaign();
                    try (WeirHttp closed = WeirHttp.configured(scratch, file)) {
                        assertThat(closed.rspamc("-f", "1", "fuzzy_add", mail).out()).contains("HTTP error: 401");
                        closed.rspamc("-P", "write", "-f", "1", "fuzzy_add", mail).succeeded();
                    }
                })
                .row("know `fuzzy_key` and `fuzzy_shingles_key`", "another key: neither digest nor shingles are equal",
                        () -> {
                            FuzzyHash plain = Settings.verdict(TEXT, rule("")).hashes().getFirst();
                            FuzzyHash keyed = Settings
                                    .verdict(TEXT, rule("fuzzy_key = \"a\"; fuzzy_shingles_key = \"b\";")).hashes()
                                    .getFirst();
                            assertThat(keyed.digest()).isNotEqualTo(plain.digest());
                            assertThat(equal(keyed.shingles(), plain.shingles())).isZero();
                        })
                .row("must have `read_only` option turned off",
                        "learning by a read-only rule is refused with the reason",
                        () -> {
                            try (FuzzyCheck check = FuzzyCheck.open(settings.rules("rule { " + SERVERS
                                    + " read_only = true; }").sound(), MailHasher.standard())) {
                                assertThat(check.learn(TEXT.getBytes(StandardCharsets.UTF_8), LearnRequest.add(1, 1))
                                        .join().failure()).isPresent();
                            }
                        })
                .row("sends commands to **all** servers", "learns at two storages; a check asks one of them, in turn",
                        () -> {
                            byte[] mail = TEXT.getBytes(StandardCharsets.UTF_8);
                            try (WeirStorage one = WeirStorage.start(scratch.resolve("one"));
                                    WeirStorage two = WeirStorage.start(scratch.resolve("two"))) {
                                String list = "\"" + one.address() + "," + two.address() + "\"";
                                try (FuzzyCheck check = FuzzyCheck.open(settings.rules("rule { "
                                        + SERVERS.replace("\"127.0.0.1:9\"", list) + " }").sound(),
                                        MailHasher.standard())) {
                                    LearnReport report = check.learn(mail, LearnRequest.add(1, 3)).join();
                                    assertThat(report.rules().getFirst().servers()).hasSize(2)
                                            .allSatisfy(server -> assertThat(server.status())
                                                    .isEqualTo(LearnReport.Status.CONFIRMED));
                                    Set<String> asked = new HashSet<>();
                                    for (int i = 0; i < 8; i++) {
                                        check.check(mail, ScanContext.NONE).join().matches()
                                                .forEach(match -> asked.add(match.server()));
                                    }
                                    assertThat(asked).containsExactlyInAnyOrder(one.address(), two.address());
                                }
                            }
                        })
                .differs("special `FUZZY_BLOCKED` symbol",
                        "reads the option that names a refusal with 403 as 3.4 does; "
                                + "MailScoreTest has the symbols, which have no weight",
                        "`like = \"3.4\"`", () -> {
                            assertThat(rule("").score().like()).isEqualTo(Release.V4_1);
                            assertThat(rule("like = \"3.4\";").score().like()).isEqualTo(Release.V3_4);
                        });
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
                .row("Whitelisted hashes map", "a hash in the list has no symbol; an error names the option that was "
                        + "written", () -> {
                            byte[] mail = Files.readAllBytes(servers().mails().campaign());
                            String own = "rule { " + SERVERS.replace("127.0.0.1:9", storage());
                            String digest = HexFormat.of()
                                    .formatHex(Settings.hashes(mail, rule("")).getFirst().digest());
                            try (FuzzyCheck check = FuzzyCheck.open(settings.rules(own + "}").sound(),
                                    MailHasher.standard())) {
                                assertThat(check.learn(mail, LearnRequest.add(1, 50)).join().failure()).isEmpty();
                                assertThat(found(own + "}", mail)).containsExactly("A");
                                assertThat(found(own + "skip_hashes = \"" + digest + "\"; }", mail)).isEmpty();
                                assertThat(check.learn(mail, LearnRequest.delete(1)).join().failure()).isEmpty();
                            }
                            assertThat(settings.rules("rule { " + SERVERS + " skip_hashes = \"zz\"; fuzzy_map { B { "
                                    + "flag = 2; max_score = x } } }").messages())
                                    .contains("\"skip_hashes\"", "\"max_score\"");
                        })
                .differs("global options", "warns that sizes outside of rules have no effect, as in Rspamd since 1.8.2",
                        "the same options in a rule",
                        () -> assertThat(settings.rules("fuzzy_check { min_bytes = 1k; rule { " + SERVERS + "} }")
                                .messages()).contains("\"min_bytes\" of fuzzy_check has no effect"))
                .row("rotate or shard", "reads each rotation and names them beside a wrong one", () -> {
                    for (String word : List.of("round-robin", "random", "master-slave", "hash")) {
                        assertThat(UpstreamList.parse(List.of(word + ":a:1,b:2")).selection().word()).isEqualTo(word);
                    }
                    assertThat(settings.rules("rule { servers = \"rr:a:1\"; fuzzy_map { A { flag = 1 } } }").messages())
                            .contains("\"rr\"", "write one of round-robin, random, master-slave, hash");
                })
                .differs("default value is `mumhash`", "as in Rspamd: siphash, with a warning", "`algorithm`",
                        () -> assertThat(
                                settings.rules("rule { servers = \"a\"; fuzzy_map { A { flag = 1; max_score = 1 } } }")
                                        .messages())
                                .contains("names no algorithm and uses siphash"))
                .differs("Base32 value for the hashing key", "plain text as in Rspamd; base32: decodes",
                        "`base32:` before the value", () -> {
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
        }).differs("likely calculated through", "100 of 200 gives 0.876 as in Rspamd, and 0 with the ramp: no curve of "
                + "Weir or Rspamd gives 0.2", "no choice: the page guesses, and no release computes it so", () -> {
                    assertThat(Curve.CURRENT.base(100, 200)).isBetween(0.875, 0.877);
                    assertThat(Curve.RAMP.base(100, 200)).isZero();
                    assertThat(Stream.of(Curve.values()).map(curve -> curve.base(100, 200)))
                            .noneMatch(base -> Math.abs(base - 0.2) < 0.1);
                }).row("metric", "a metric with a name sets the weight, also in quotes", () -> {
                    FuzzyCheckSettings read = settings.rules("""
                            metric { name = "default"; symbol { name = "A"; weight = "10.0"; } }
                            group "fuzzy" { symbols { A { weight = 12 } } }
                            fuzzy_check { rule { %s} }
                            """.formatted(SERVERS)).sound();
                    assertThat(read.symbols().symbol("A").weight()).isEqualTo(10);
                });
    }

    private void training(Promises promises) {
        promises.row("has value `100500`", "the full weight, in Weir and in Rspamd 3.4 on the same storage", () -> {
            rspamc("-f", "1", "-w", "100500", "fuzzy_add", campaign()).succeeded();
            assertThat(score(rspamc(campaign()).succeeded().out())).isEqualTo("12.00");
            assertThat(score(servers().rspamd().scan(servers().mails().campaign()))).isEqualTo("12.00");
        }).differs("text content fuzzy matching", "a variant of a text is found, and scores less than the text by its "
                + "similarity: less than in Rspamd 3.4 on the same storage, as since 4.1.3",
                "`score_curve = \"legacy-1.9\"`", () -> {
                    double ours = Double.parseDouble(score(rspamc(servers().mails().modified().toString()).succeeded()
                            .out()));
                    double theirs = Double.parseDouble(score(servers().rspamd().scan(servers().mails().modified())));
                    assertThat(ours).isPositive().isLessThan(theirs);
                    assertThat(theirs).isLessThan(12);
                }).differs("has value `10`",
                        "10 of 20 gives 10.51 of the weight 12, in Weir and in Rspamd 3.4 on the same "
                                + "storage, and 0 with the ramp: no curve of Weir or Rspamd gives 2.0",
                        "no choice: no release computes it so", () -> {
                            assertThat(Stream.of(Curve.values()).map(curve -> 12 * curve.base(10, 20)))
                                    .noneMatch(score -> Math.abs(score - 2) < 1);
                            rspamc("-f", "1", "-w", "10", "fuzzy_add", unrelated()).succeeded();
                            assertThat(score(rspamc(unrelated()).succeeded().out())).isEqualTo("10.51");
                            assertThat(score(servers().rspamd().scan(servers().mails().unrelated())))
                                    .isEqualTo("10.51");
                        })
                .row("rspamc -f <flag> fuzzy_del", "forgets a mail", () -> {
                    rspamc("-f", "1", "fuzzy_del", unrelated()).succeeded();
                    assertThat(rspamc(unrelated()).succeeded().out()).doesNotContain("FUZZY_DENIED");
                }).row("fuzzy_delhash", "forgets the digest that a scan or learning printed", () -> {
                    String learned = rspamc("-f", "1", "fuzzy_add", unrelated()).succeeded().out();
                    Matcher digest = Pattern.compile("\"([0-9a-f]{128})\"").matcher(learned);
                    assertThat(digest.find()).isTrue();
                    rspamc("-f", "1", "fuzzy_delhash", digest.group(1)).succeeded();
                    assertThat(rspamc(unrelated()).succeeded().out()).doesNotContain("FUZZY_DENIED");
                })
                .row("rspamc -f 300",
                        "learns, scans and deletes through rspamc; without a storage that takes such flags, the "
                                + "answer says why and Rspamd 3.4 gets nothing under another flag",
                        () -> wideFlag(servers().mails(), servers().theirs()))
                .row("whether this task should be considered",
                        "a learn condition that fails is the reason in the report", () -> {
                            LearnReport.RuleOutcome outcome = learned("return function(task) return task:no_such() end",
                                    TEXT);
                            assertThat(outcome.reason()).contains("no_such");
                        });
    }

    /**
     * Teaches flags beyond 255 through the HTTP interface.
     *
     * @param theirs the port of a storage of Rspamd 3.4
     */
    private void wideFlag(Mails mails, int theirs) throws Exception {
        Path data = Files.createDirectory(scratch.resolve("wide"));
        int storage = FreePort.find();
        Path file = Files.writeString(scratch.resolve("wide.conf"), """
                worker "fuzzy" {
                  bind_socket = "127.0.0.1:%1$d"; database = "%2$s/fuzzy.db"; allow_update = ["127.0.0.1"];
                }
                worker "controller" { bind_socket = "127.0.0.1:%3$d"; secure_ip = ["127.0.0.1"]; }
                fuzzy_check {
                  rule "own" { servers = "127.0.0.1:%1$d"; algorithm = "mumhash"; read_only = false;
                    fuzzy_map { OWN_WIDE { flag = 300; max_score = 20 } } }
                  rule "theirs" { servers = "127.0.0.1:%4$d"; algorithm = "mumhash"; read_only = false;
                    fuzzy_map { THEIR_WIDE { flag = 301; max_score = 20 } THEIR_LOW { flag = 45; max_score = 20 } } }
                }
                group "fuzzy" { symbols { OWN_WIDE { weight = 5 } THEIR_WIDE { weight = 5 } THEIR_LOW { weight = 5 } } }
                """.formatted(storage, data, FreePort.find(), theirs));
        String mail = mails.campaign().toString();
        try (WeirHttp wide = WeirHttp.configured(scratch, file)) {
            assertThat(wide.rspamc("-f", "300", "-w", "5", "fuzzy_add", mail).succeeded().out())
                    .contains("success = true");
            assertThat(wide.rspamc(mail).succeeded().out()).contains("Symbol: OWN_WIDE", "[300:");
            assertThat(wide.rspamc(mails.modified().toString()).succeeded().out()).contains("Symbol: OWN_WIDE");
            assertThat(wide.rspamc("-f", "300", "fuzzy_del", mail).succeeded().out()).contains("success = true");
            assertThat(wide.rspamc(mail).succeeded().out()).doesNotContain("Symbol: OWN_WIDE");
            Programs.Result refused = wide.rspamc("-f", "301", "-w", "5", "fuzzy_add", mail);
            assertThat(refused.exit()).isEqualTo(1);
            assertThat(refused.out()).contains("HTTP error: ", "flag 301 is not sent: it ",
                    "flags beyond 255");
            // 45 is the low byte of 301, under which Rspamd would store it.
            assertThat(wide.rspamc(mail).succeeded().out()).doesNotContain("Symbol: THEIR_LOW");
        }
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
                FuzzyCheck check = FuzzyCheck.open(rules, MailHasher.standard(),
                        FuzzyCheckOptions.DEFAULT.withConditions(conditions))) {
            return check.rehearse(mail.getBytes(StandardCharsets.UTF_8), LearnRequest.add(1, 1)).join().rules()
                    .getFirst();
        }
    }

    @TestFactory
    Stream<DynamicTest> document() {
        return promises().tests();
    }

    Promises promises() {
        Promises promises = new Promises();
        ModuleDocument module = new ModuleDocument(scratch);
        patterns(promises);
        module.patterns(promises);
        words(promises);
        html(promises);
        structures(promises);
        module.html(promises);
        options(promises);
        module.outline(promises);
        rules(promises);
        scores(promises);
        training(promises);
        service(promises);
        module.service(promises);
        return promises;
    }
}
