package dev.weir.interop;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.imageio.ImageIO;

import dev.weir.hash.FuzzyHash;
import dev.weir.hash.MailHasher;
import dev.weir.hash.PartVerdict;
import dev.weir.hash.kind.HashKind;
import dev.weir.hash.shingle.Blake2b;
import dev.weir.model.HtmlSides;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.LearnReport;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;
import dev.weir.scan.Sides;
import dev.weir.scan.rule.RuleSettings;
import dev.weir.scan.upstream.CircuitBreaker;
import dev.weir.scan.upstream.HashRing;
import dev.weir.scan.upstream.UpstreamList;
import dev.weir.testkit.DatagramPeer;
import dev.weir.wire.command.CommandCode;

import static org.assertj.core.api.Assertions.assertThat;

/** What the page about the module promises of single options, seen without a storage. */
final class ModuleDocument {
    private static final String SERVERS = "servers = \"127.0.0.1:9\"; algorithm = \"mumhash\"; max_score = 20; "
            + "fuzzy_map { A { flag = 1; max_score = 20 } } ";
    private static final String TEXT_HEAD = "Content-Type: text/plain\n\n";
    private static final String HTML_HEAD = "Content-Type: text/html\n\n";
    private static final int ATTEMPTS = 500;

    /** The first byte of a check that asks for several flags. */
    private static final int SEVERAL_FLAGS = 0x14;

    private final Settings settings;

    ModuleDocument(Path scratch) {
        this.settings = new Settings(scratch);
    }

    private RuleSettings rule(String options) throws IOException {
        return settings.rule("rule { " + SERVERS + options + " }");
    }

    private static List<HashKind> kinds(String mail, RuleSettings rule) {
        return Settings.hashes(bytes(mail), rule).stream().map(FuzzyHash::kind).toList();
    }

    private static byte[] bytes(String mail) {
        return mail.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static int equal(FuzzyHash one, FuzzyHash other) {
        return (int) IntStream.range(0, one.shingles().length).filter(i -> one.shingles()[i] == other.shingles()[i])
                .count();
    }

    private static String words(int count) {
        return IntStream.range(0, count).mapToObj(i -> "word" + i).collect(Collectors.joining(" "));
    }

    private static String attachment(String type, String name, byte[] content) {
        return "Content-Type: " + type + "; name=" + name + "\nContent-Disposition: attachment; filename=" + name
                + "\nContent-Transfer-Encoding: base64\n\n" + Base64.getMimeEncoder().encodeToString(content) + "\n";
    }

    private static byte[] random(int length) {
        byte[] content = new byte[length];
        new SplittableRandom(length).nextBytes(content);
        return content;
    }

    /** A part with an image that an HTML part displays. */
    static String imageMail(int width, int height) throws IOException {
        BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 3_000; i++) {
            image.setRGB(random.nextInt(width), random.nextInt(height), random.nextInt());
        }
        ByteArrayOutputStream png = new ByteArrayOutputStream();
        ImageIO.write(image, "png", png);
        return "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\n" + HTML_HEAD
                + "<html><body><img src=\"cid:a@b\"></body></html>\n\n--b\nContent-Type: image/png\n"
                + "Content-ID: <a@b>\nContent-Transfer-Encoding: base64\n\n"
                + Base64.getMimeEncoder().encodeToString(png.toByteArray()) + "\n--b--\n";
    }

    void patterns(Promises promises) {
        promises.row("verified by blake2 digests", "the digest of an attachment is BLAKE2b of its bytes under "
                + "fuzzy_key, with every algorithm", () -> {
                    byte[] content = random(3_000);
                    for (String name : List.of("siphash", "mumhash")) {
                        RuleSettings rule = settings.rule("rule { " + SERVERS.replace("mumhash", name) + " }");
                        assertThat(Settings.hashes(bytes(attachment("application/x-a", "a.bin", content)), rule))
                                .singleElement().satisfies(hash -> assertThat(hash.digest())
                                        .isEqualTo(Blake2b.digest512(Blake2b.keyOf("rspamd"), content)));
                    }
                });
    }

    private FuzzyHash structure(String page) throws IOException {
        return Settings.hashes(bytes(HTML_HEAD + page), rule("html_shingles = true; html_similarity = true;")).stream()
                .filter(hash -> hash.kind() == HashKind.HTML).findFirst().orElseThrow();
    }

    private HtmlSides sides(String page) throws IOException {
        return Objects.requireNonNull(Sides.of(structure(page)));
    }

    private static String page(String body) {
        return "<html><body><div><table>" + body + "</table></div></body></html>\n";
    }

    private static String rows(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "<tr class=\"c" + (char) ('a' + i) + "\"><td><a href=\"http://e"
                + i + ".com/\">x</a></td></tr>").collect(Collectors.joining());
    }

    private static String backwards(int count) {
        return IntStream.range(0, count).map(i -> count - 1 - i).mapToObj(i -> rows(i, i + 1))
                .collect(Collectors.joining());
    }

    void html(Promises promises) {
        promises.row("sliding window (size 3)", "the shingles of a structure follow from windows of three tags: rows "
                + "in another order leave few, one more row most", () -> {
                    FuzzyHash one = structure(page(rows(0, 20)));
                    assertThat(one.shingles()).hasSize(32);
                    assertThat(equal(one, structure(page(rows(0, 21))))).isGreaterThan(16);
                    assertThat(equal(one, structure(page(backwards(20))))).isLessThan(equal(one,
                            structure(page(rows(0, 21)))));
                })
                .row("Links with `class=\"button\"`, `class=\"cta\"`, etc.",
                        "the domain of a link with each class is the call to action, not that of a link with "
                                + "class=footer",
                        () -> {
                            for (String name : List.of("button", "cta", "btn")) {
                                String page = page(rows(0, 6).replace("<a ", "<a class=\"footer\" ")
                                        + "<tr><td><a class=\"" + name
                                        + "\" href=\"http://shop.com/\">Pay now</a></td></tr>");
                                assertThat(sides(page).cta(sides(page.replace("shop.com", "other.net")))).as(name)
                                        .isEqualTo(HtmlSides.Cta.DIFFERENT);
                                assertThat(sides(page).cta(sides(page.replace("e3.com", "other.net")))).as(name)
                                        .isEqualTo(HtmlSides.Cta.SAME);
                            }
                        })
                .row("Link count (buckets", "three links and four are one bucket, five are another", () -> {
                    String filler = "<tr><td><i>x</i></td></tr>".repeat(6);
                    long three = sides(page(rows(0, 3) + filler)).features();
                    assertThat(sides(page(rows(0, 4) + filler)).features()).isEqualTo(three);
                    assertThat(sides(page(rows(0, 5) + filler)).features()).isNotEqualTo(three);
                })
                .row("Tracking classes filtered out", "leaves out utm, analytics, campaign and guid", () -> {
                    for (String name : List.of("utm_source", "analytics1", "campaign-x", "guid-7")) {
                        assertThat(Settings.tokens("<html><body><p class=\"" + name + "\">x</p></body></html>"))
                                .as(name).contains("p");
                    }
                })
                .differs("mostly digits, UUIDs", "as in Rspamd 4.1.6: leaves out a class of digits; a UUID whose "
                        + "digits are no majority stays", "no choice: what Rspamd hashes must not change", () -> {
                            assertThat(Settings.tokens("<html><body><p class=\"a1234567\">x</p></body></html>"))
                                    .contains("p");
                            assertThat(Settings.tokens("<html><body><p class=\"6f1c2f0e-5a43-4c0b-9d6e-0c6f0f9d1b11\">"
                                    + "x</p></body></html>")).anyMatch(token -> token.startsWith("p.6f1c2f0e"));
                        })
                .row("default: `null`", "without checks, texts are hashed and structures are not", () -> {
                    assertThat(kinds(HTML_HEAD + page(rows(0, 6) + "<tr><td>" + words(80) + "</td></tr>"), rule("")))
                            .containsExactly(HashKind.TEXT);
                })
                .row("controls text hashing", "enabled, min_length and short_text_direct_hash of checks apply", () -> {
                    String mail = TEXT_HEAD + words(60) + "\n";
                    assertThat(kinds(mail, rule("checks { text { min_length = 50; } }")))
                            .containsExactly(HashKind.TEXT);
                    assertThat(kinds(mail, rule("checks { text { min_length = 64; short_text_direct_hash = true; } }")))
                            .containsExactly(HashKind.SHORT_TEXT);
                    assertThat(
                            kinds(mail, rule("checks { text { min_length = 64; short_text_direct_hash = false; } }")))
                            .isEmpty();
                    assertThat(kinds(mail, rule("checks { text { enabled = false; } }"))).isEmpty();
                })
                .row("controls image hashing", "enabled, min_height and min_width of checks apply", () -> {
                    String mail = imageMail(600, 400);
                    assertThat(kinds(mail, rule(""))).doesNotContain(HashKind.IMAGE);
                    assertThat(kinds(mail, rule("checks { images { min_height = 300; } }"))).contains(HashKind.IMAGE);
                    assertThat(kinds(mail, rule("checks { image { min_height = 300; min_width = 700; } }")))
                            .doesNotContain(HashKind.IMAGE);
                    assertThat(kinds(mail, rule("checks { image { enabled = false; min_height = 300; } }")))
                            .doesNotContain(HashKind.IMAGE);
                })
                .row("controls archive hashing", "a small archive has a hash; not with enabled = false", () -> {
                    ByteArrayOutputStream packed = new ByteArrayOutputStream();
                    try (ZipOutputStream zip = new ZipOutputStream(packed)) {
                        zip.putNextEntry(new ZipEntry("inner.txt"));
                        zip.write(random(400));
                        zip.closeEntry();
                    }
                    String mail = attachment("application/zip", "a.zip", packed.toByteArray());
                    assertThat(kinds(mail, rule("checks { archive { enabled = true; } }")))
                            .containsExactly(HashKind.ARCHIVE);
                    assertThat(kinds(mail, rule("checks { archives { enabled = false; } }"))).isEmpty();
                })
                .row("Scenario 2", "two letters of a real newsletter: few shingles of the texts are equal, most of the "
                        + "structures, and the call to action is the same", () -> {
                            RuleSettings both = rule("html_shingles = true; html_similarity = true;");
                            List<FuzzyHash> first = Settings.hashes(PhishingTest.real("daily-dispatch.eml"), both);
                            List<FuzzyHash> next = Settings.hashes(PhishingTest.real("daily-dispatch-next.eml"), both);
                            assertThat(equal(of(first, HashKind.TEXT), of(next, HashKind.TEXT)))
                                    .isLessThanOrEqualTo(16);
                            FuzzyHash page = of(first, HashKind.HTML);
                            assertThat(equal(page, of(next, HashKind.HTML))).isGreaterThan(16);
                            assertThat(Objects.requireNonNull(Sides.of(page))
                                    .cta(Objects.requireNonNull(Sides.of(of(next, HashKind.HTML)))))
                                    .isEqualTo(HtmlSides.Cta.SAME);
                        })
                .row("<1ms for typical HTML",
                        "hashes a page with 150 tags in less than a millisecond of processor time, in "
                                + "the quickest of many attempts",
                        () -> {
                            byte[] mail = bytes(
                                    HTML_HEAD + page(rows(0, 20) + "<tr><td><p>x</p></td></tr>".repeat(29)));
                            RuleSettings only = rule("html_shingles = true; text_hashes = false;");
                            assertThat(quickest(() -> Settings.hashes(mail, only))).isLessThan(1_000_000);
                        })
                .row("Overhead: Minimal", "a plain text has no structure to hash, with the reason", () -> {
                    PartVerdict verdict = Settings.verdict(TEXT_HEAD + words(80) + "\n", rule("html_shingles = true;"));
                    assertThat(verdict.hashes()).extracting(FuzzyHash::kind).containsExactly(HashKind.TEXT);
                    assertThat(verdict.refusals()).contains(
                            new PartVerdict.Refusal(HashKind.HTML, PartVerdict.Reason.NOT_HTML, 0, 0));
                });
    }

    private static FuzzyHash of(List<FuzzyHash> hashes, HashKind kind) {
        return hashes.stream().filter(hash -> hash.kind() == kind).findFirst().orElseThrow();
    }

    /** Returns the shortest time in nanoseconds: other programs make single attempts slow. */
    private static long quickest(Runnable work) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < ATTEMPTS; i++) {
            long before = threads.getCurrentThreadCpuTime();
            work.run();
            least = Math.min(least, threads.getCurrentThreadCpuTime() - before);
        }
        return least;
    }

    /** The options of the outline and of the lists behind it. */
    void outline(Promises promises) {
        promises.row("max_errors", "reads it, 4 without; after so many failures in a row, a server gets probes alone",
                () -> {
                    assertThat(settings.rules("rule { " + SERVERS + "}").sound().maxErrors()).isEqualTo(4);
                    int most = settings.rules("fuzzy_check { max_errors = 2; rule { " + SERVERS + "} }").sound()
                            .maxErrors();
                    CircuitBreaker server = new CircuitBreaker(most, Duration.ofMinutes(1), new Random(1));
                    server.failed(0);
                    assertThat(server.state()).isNotEqualTo(CircuitBreaker.State.CLOSED_OFF);
                    server.failed(0);
                    assertThat(server.state()).isEqualTo(CircuitBreaker.State.CLOSED_OFF);
                })
                .row("revive_time", "reads it; 60 seconds without", () -> {
                    assertThat(settings.rules("fuzzy_check { revive_time = 30s; rule { " + SERVERS + "} }").sound()
                            .reviveTime()).isEqualTo(Duration.ofSeconds(30));
                    assertThat(settings.rules("rule { " + SERVERS + "}").sound().reviveTime())
                            .isEqualTo(Duration.ofMinutes(1));
                })
                .row("retransmits", "a silent server gets the request once and so many times again", () -> {
                    for (int retransmits : new int[]{0, 2}) {
                        assertThat(checksAt("fuzzy_check { timeout = 0.1s; retransmits = " + retransmits
                                + "; rule { " + SERVERS + "} }")).isEqualTo(1 + retransmits);
                    }
                })
                .differs("e.g. 1s, 2m, 5h", "reads 1s and 2min, and a scan of a silent server ends, incomplete and "
                        + "without a symbol; 2m is two million, as in all of Rspamd, which is refused, as is 5h",
                        "`timeout = 2min`; no choice beyond 10 minutes", () -> {
                            assertThat(settings.rules("fuzzy_check { timeout = 2min; rule { " + SERVERS + "} }").sound()
                                    .rules().getFirst().timeout()).isEqualTo(Duration.ofMinutes(2));
                            for (String wrong : List.of("2m", "5h")) {
                                assertThat(settings.rules("fuzzy_check { timeout = " + wrong + "; rule { " + SERVERS
                                        + "} }").messages()).contains("expected a value from 0.001 to 600");
                            }
                            try (DatagramPeer silent = DatagramPeer.start((peer, datagram, from) -> {})) {
                                ScanResult result = scan("rule { " + at(silent)
                                        + " timeout = 0.05s; retransmits = 0; }");
                                assertThat(result.complete()).isFalse();
                                assertThat(result.symbols()).isEmpty();
                            }
                        })
                .row("Default symbol for rule", "the symbol of the rule, or else that of the module; R_FUZZY_HASH "
                        + "without", () -> {
                            assertThat(rule("").score().symbol()).isEqualTo("R_FUZZY_HASH");
                            assertThat(settings.rules("fuzzy_check { symbol = \"S\"; rule { " + SERVERS + "} }").sound()
                                    .rules().getFirst().score().symbol()).isEqualTo("S");
                            assertThat(rule("symbol = \"T\";").score().symbol()).isEqualTo("T");
                        })
                .differs("Headers that are used to make a separate hash", "warns that the option has no effect, as in "
                        + "Rspamd", "no choice: no Rspamd makes such hashes",
                        () -> assertThat(settings.rules("rule { " + SERVERS + " headers = [\"Subject\"]; }").messages())
                                .contains("\"headers\"", "no effect"))
                .row("Max value for fuzzy hash", "the limit of a rule holds for flags without their own", () -> {
                    RuleSettings rule = settings.rule("rule { servers = \"a\"; algorithm = \"mumhash\"; max_score = 7; "
                            + "fuzzy_map { A { flag = 1; max_score = 20 } B { flag = 2 } } }");
                    assertThat(rule.score().hitsLimit()).isEqualTo(7);
                    assertThat(Objects.requireNonNull(rule.score().flags().get(1L)).limit()).isEqualTo(20);
                })
                .row("minimum length of attachments and images in bytes", "an attachment of 900 bytes has a hash with "
                        + "min_bytes = 100 and none by default", () -> {
                            String mail = attachment("application/x-a", "a.bin", random(900));
                            assertThat(kinds(mail, rule(""))).isEmpty();
                            assertThat(kinds(mail, rule("min_bytes = 100;"))).containsExactly(HashKind.ATTACHMENT);
                            assertThat(kinds(imageMail(600, 600), rule("min_bytes = 1000000;")))
                                    .doesNotContain(HashKind.IMAGE);
                        })
                .differs("default - check all text parts", "as in Rspamd: a text of three words has no hash by "
                        + "default, because it is too small", "`min_bytes`, `text_multiplier`", () -> {
                            String mail = TEXT_HEAD + "three short words\n";
                            assertThat(kinds(mail, rule(""))).isEmpty();
                            assertThat(kinds(mail, rule("min_bytes = 16;"))).containsExactly(HashKind.SHORT_TEXT);
                            assertThat(kinds(mail, rule("text_multiplier = 100;")))
                                    .containsExactly(HashKind.SHORT_TEXT);
                        })
                .row("minimum pixel height of images", "500 pixels in both directions by default; less on request",
                        () -> {
                            assertThat(kinds(imageMail(600, 400), rule("min_height = 400;"))).contains(HashKind.IMAGE);
                            assertThat(kinds(imageMail(400, 600), rule(""))).doesNotContain(HashKind.IMAGE);
                            assertThat(kinds(imageMail(400, 600), rule("min_width = 400;"))).contains(HashKind.IMAGE);
                            assertThat(kinds(imageMail(500, 500), rule(""))).contains(HashKind.IMAGE);
                        })
                .row("Sharding is performed based on the hash value", "with hash:, a digest has one server whatever "
                        + "other digests were asked, and digests are spread over all", () -> {
                            UpstreamList list = UpstreamList.parse(List.of("hash:a:1,b:2,c:3"));
                            HashRing ring = new HashRing(list.entries().stream().map(UpstreamList.Entry::name).toList(),
                                    List.of(1, 1, 1));
                            int[] counts = new int[3];
                            for (int i = 0; i < 300; i++) {
                                byte[] digest = Blake2b.digest512(new byte[0], bytes("hash " + i));
                                counts[ring.owner(digest)]++;
                                assertThat(ring.owner(digest)).isEqualTo(ring.owner(digest.clone()));
                            }
                            assertThat(counts).doesNotContain(0);
                        })
                .row("`fasthash` (or just `fast`)", "both names of an algorithm make the same shingles", () -> {
                    byte[] mail = bytes(TEXT_HEAD + words(100) + "\n");
                    for (String[] names : new String[][]{{"fasthash", "fast"}, {"siphash", "old"}}) {
                        List<long[]> shingles = new ArrayList<>();
                        for (String name : names) {
                            shingles.add(Settings.hashes(mail, settings.rule("rule { "
                                    + SERVERS.replace("mumhash", name) + " }")).getFirst().shingles());
                        }
                        assertThat(shingles.getFirst()).isEqualTo(shingles.getLast());
                    }
                })
                .row("`[\"*\"]` to match anything", "an attachment of another type has a hash only if it is listed",
                        () -> {
                            String mail = attachment("audio/x-a", "a.bin", random(2_000));
                            assertThat(kinds(mail, rule(""))).isEmpty();
                            assertThat(kinds(mail, rule("mime_types = [\"*\"];"))).hasSize(1);
                        })
                .row("set to `no` to enable training", "reads yes and no", () -> {
                    assertThat(rule("read_only = no;").mode().writes()).isTrue();
                    assertThat(rule("read_only = yes;").mode().writes()).isFalse();
                })
                .row("Divide min_bytes by 4 for texts", "a short text counts four times its size; once with "
                        + "text_multiplier = 1", () -> {
                            String mail = TEXT_HEAD + words(50) + "\n";
                            assertThat(mail.length()).isBetween(1024 / 4, 1023);
                            assertThat(kinds(mail, rule(""))).containsExactly(HashKind.SHORT_TEXT);
                            assertThat(kinds(mail, rule("text_multiplier = 1.0;"))).isEmpty();
                        })
                .row("Apply fuzzy logic for text parts", "without text_shingles, a text has a digest alone", () -> {
                    byte[] mail = bytes(TEXT_HEAD + words(100) + "\n");
                    assertThat(Settings.hashes(mail, rule("text_shingles = true;"))).singleElement()
                            .satisfies(hash -> assertThat(hash.hasShingles()).isTrue());
                    assertThat(Settings.hashes(mail, rule("text_shingles = false;"))).singleElement()
                            .satisfies(hash -> assertThat(hash.hasShingles()).isFalse());
                });
    }

    private static String at(DatagramPeer server) {
        return SERVERS.replace("127.0.0.1:9", "127.0.0.1:" + server.port());
    }

    private ScanResult scan(String rules) throws IOException {
        return scan(rules, TEXT_HEAD + words(100) + "\n");
    }

    private ScanResult scan(String rules, String mail) throws IOException {
        try (FuzzyCheck check = FuzzyCheck.open(settings.rules(rules).sound(), MailHasher.standard())) {
            return check.check(bytes(mail), ScanContext.NONE).join();
        }
    }

    /** Returns how often a silent server gets a check. It gets each one in two forms, and questions for its version. */
    private int checksAt(String rules) throws IOException {
        AtomicInteger received = new AtomicInteger();
        try (DatagramPeer silent = DatagramPeer.start((peer, datagram, from) -> {
            if (datagram[0] == SEVERAL_FLAGS && datagram[1] == CommandCode.CHECK) {
                received.incrementAndGet();
            }
        })) {
            var _ = scan(rules.replace(SERVERS, at(silent)));
        }
        return received.get();
    }

    /** Learning and the service of Rspamd. */
    void service(Promises promises) {
        promises.row("`fuzzy_map` configured to the flags", "a flag that no rule has is refused with the reason",
                () -> {
                    try (FuzzyCheck check = FuzzyCheck
                            .open(settings.rules("rule { " + SERVERS + " skip_unknown = true; }")
                                    .sound(), MailHasher.standard())) {
                        LearnReport report = check.learn(bytes(TEXT_HEAD + words(100) + "\n"), LearnRequest.add(77, 1))
                                .join();
                        assertThat(report.failure().orElseThrow().message()).contains("77");
                    }
                }).row("`rspamd.com` feeds are enabled",
                        "Debian's tree has an active rule for them that never learns, with "
                                + "three symbols",
                        () -> {
                            assertThat(settings.debian().rules())
                                    .filteredOn(rule -> rule.name().equals("rspamd.com")).singleElement()
                                    .satisfies(rule -> {
                                        assertThat(rule.mode().writes()).isFalse();
                                        assertThat(rule.score().flags()).containsOnlyKeys(1L, 2L, 3L);
                                        assertThat(rule.readServers().toString()).contains("rspamd.com");
                                    });
                        });
    }
}
