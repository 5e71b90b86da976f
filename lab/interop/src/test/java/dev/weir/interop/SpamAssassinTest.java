package dev.weir.interop;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import dev.weir.testkit.FreePort;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The plugin for SpamAssassin in the real command {@code spamassassin}. */
class SpamAssassinTest extends SpamAssassinFixture {
    private static final String HEAD = "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n";
    private static final String TEXT = "\"txt\"";
    private static final String DIGEST = "\"" + "01".repeat(64) + "\"";

    private String place() {
        return "weir_servers " + address();
    }

    /** A mail of a campaign that changes its words and keeps the places of its links. */
    private Path withLinks(String words) throws IOException {
        return Files.writeString(Files.createTempFile(scratch, "links", ".eml"), "From: <a@example.com>\nSubject: "
                + words + "\nMIME-Version: 1.0\nContent-Type: text/html\n\n<html><body><p>" + words
                + "</p><a href=\"https://evil-site.com/confirm/now?user=1\">x</a>"
                + "<a href=\"https://other-evil.net/leave/list?id=2\">y</a>"
                + "<img src=\"https://third-evil.org/pictures/of/head.png\"></body></html>\n");
    }

    @Test
    void reportedMailIsKnownAndRevokedMailIsNot() throws Exception {
        Mails mails = Mails.in(scratch);
        SpamAssassin spamassassin = SpamAssassin.in(scratch, place());
        assertThat(spamassassin.run(mails.campaign()).out()).contains("tests=OWN_RULE ", "\nX-Spam-Weir: none\n");

        assertThat(spamassassin.run(mails.campaign(), "--report").succeeded().err()).doesNotContain("warning");
        // One report of weight 1 is a quarter of a whole hit. It counts once, although it was learned for Bayes too.
        assertThat(spamassassin.run(mails.campaign()).out()).contains("tests=OWN_RULE,WEIR_COPY_FEW ")
                .containsPattern("\nX-Spam-Weir: FUZZY_DENIED\\(3\\.18\\)\\[1:[0-9a-f]{10}:1\\.00:txt\\]");
        SpamAssassin.learn(weir, mails.campaign());
        assertThat(spamassassin.run(mails.campaign()).out()).contains("tests=OWN_RULE,WEIR_COPY ", "score=5.1");
        assertThat(spamassassin.run(mails.modified(), "-t").out()).contains("tests=OWN_RULE,WEIR_COPY ")
                .containsPattern("WEIR_COPY +Weir: a copy of mail that was reported often\n +\\[1:[0-9a-f]{10}:0\\.");
        assertThat(spamassassin.run(mails.unrelated()).out()).contains("tests=OWN_RULE ");

        assertThat(spamassassin.run(mails.campaign(), "--revoke").succeeded().err()).doesNotContain("warning");
        assertThat(spamassassin.run(mails.campaign()).out()).contains("tests=OWN_RULE ");
    }

    @Test
    void aMailThatIsOnlyNearByAKindHasARuleOfItsOwn() throws Exception {
        SpamAssassin spamassassin = SpamAssassin.in(scratch, place(), "weir_report_weight 20",
                "full OWN_LIST eval:check_weir('near', 1, 100, 'FUZZY_DENIED')",
                "full OTHER_LIST eval:check_weir('near', 1, 100, 'OTHER')");
        spamassassin.run(withLinks("the mailbox of the user is nearly full again"), "--report").succeeded();
        assertThat(spamassassin.run(withLinks("parcels wait for nobody, so pay customs in time")).out())
                .contains("tests=OWN_LIST,OWN_RULE,WEIR_NEAR ")
                .containsPattern("\\[21:[0-9a-f]{10}:\\d.\\d\\d:links1");
    }

    @Test
    void wantedMailIsLearnedWhereTheSettingSaysSo() throws Exception {
        Path mail = SpamAssassin.mail(scratch, 1);
        SpamAssassin spamassassin = SpamAssassin.in(scratch, place(), "weir_report_weight 20",
                "weir_wanted_symbol FUZZY_WHITE");
        spamassassin.run(mail, "--report").succeeded();
        spamassassin.run(mail, "--revoke").succeeded();
        assertThat(spamassassin.run(mail).out()).contains("tests=OWN_RULE,WEIR_WANTED ", "FUZZY_WHITE(-2.00)");
    }

    @Test
    void aFailedReportIsReportedAsFailed() throws Exception {
        SpamAssassin spamassassin = SpamAssassin.in(scratch, "weir_servers 127.0.0.1:" + FreePort.find());
        assertThat(spamassassin.run(Mails.in(scratch).campaign(), "-D", "reporter,weir", "--report").err())
                .contains("could not report spam to Weir", "unable to report message", "Connection refused");
    }

    @Test
    void aPasswordAndASocketOpenTheController() throws Exception {
        Path mail = SpamAssassin.mail(scratch, 2);
        Path socket = scratch.resolve("http.sock");
        try (WeirHttp guarded = SpamAssassin.weir(scratch, "bind_socket = [\"127.0.0.1:0\", \"" + socket
                + "\"]; password = \"three words here\"; enable_password = \"two words\";")) {
            String server = "weir_servers 127.0.0.1:" + guarded.port();
            Programs.Result refused = SpamAssassin.in(scratch, server, "weir_password mistaken").run(mail, "-D",
                    "weir");
            assertThat(refused.out()).contains("X-Spam-Weir: no answer", "tests=OWN_RULE ");
            assertThat(refused.err()).contains("status 401").doesNotContain("mistaken");
            // Without a password, the socket lets in who may open it.
            SpamAssassin.in(scratch, "weir_servers unix:" + socket).run(mail, "--report").succeeded();
            assertThat(SpamAssassin.in(scratch, server, "weir_password three words here").run(mail).out())
                    .contains("WEIR_COPY_FEW");
        }
    }

    @Test
    void nothingOfTheMailIsInTheHeadOfTheRequest() throws Exception {
        Path mail = Files.write(scratch.resolve("odd.eml"), ("Subject: a\n\tPassword: b\nUser: c\r\n\r\nFlag: 1\n"
                + "From x\n\0\u00e4\n").getBytes(StandardCharsets.ISO_8859_1));
        try (ScriptedHttp server = ScriptedHttp.answering(HEAD + "\r\n{\"symbols\":{}}")) {
            SpamAssassin.in(scratch, "weir_servers " + server.address(), "weir_password secret").run(mail).succeeded();
            String content = Files.readString(mail, StandardCharsets.ISO_8859_1);
            assertThat(server.requests()).singleElement().satisfies(request -> {
                String[] parts = request.split("\r\n\r\n", 2);
                assertThat(parts[0].lines()).hasSize(3).startsWith("POST /checkv2 HTTP/1.0")
                        .anyMatch(line -> line.matches("Content-Length: \\d+")).endsWith("Password: secret");
                assertThat(parts[1].replace("\r\n", "\n")).isEqualTo(content.replace("\r\n", "\n"));
            });
        }
    }

    @Test
    void aReportNamesTheListAndTheUser() throws Exception {
        String user = System.getProperty("user.name");
        try (ScriptedHttp server = ScriptedHttp.answering(HEAD + "\r\n{\"success\":true}")) {
            SpamAssassin.in(scratch, "weir_servers " + server.address(), "weir_report_symbol OWN",
                    "weir_wanted_symbol WANTED").run(SpamAssassin.mail(scratch, 4), "--revoke").succeeded();
            assertThat(server.requests()).hasSize(2);
            assertThat(server.requests().getFirst().lines()).startsWith("POST /fuzzydel HTTP/1.0")
                    .contains("Symbol: OWN", "User: " + user).noneMatch(line -> line.startsWith("Weight"));
            assertThat(server.requests().getLast().lines()).startsWith("POST /fuzzyadd HTTP/1.0")
                    .contains("Symbol: WANTED", "User: " + user, "Weight: 1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"time_limit 2",
        "loadplugin Mail::SpamAssassin::Plugin::Shortcircuit\nshortcircuit OWN_RULE on\npriority OWN_RULE 500"})
    void aScanThatEndsEarlyDoesNotWaitForWeir(String setting) throws Exception {
        try (ScriptedHttp silent = ScriptedHttp.silent()) {
            // The time limit of Weir is longer than the patience of this test.
            Programs.Result result = SpamAssassin.in(scratch, "weir_servers " + silent.address(), "weir_timeout 600s",
                    setting).run(SpamAssassin.mail(scratch, 5), "-D", "weir").succeeded();
            assertThat(result.out()).contains("X-Spam-Status: No, score=");
            assertThat(result.out() + result.err()).doesNotContain("WEIR_");
        }
    }

    /** An answer of a scan with a symbol and its match. Both have a name; values in JSON take the place of others. */
    private static String scan(String name, String score, String kind, String digest) {
        String json = "{\"symbols\":{\"" + name + "\":{\"score\":" + score
                + ",\"metric_score\":12}},\"matches\":[{\"symbol\":\"" + name + "\",\"kind\":" + kind
                + ",\"flag\":1,\"probability\":1.0,\"digest\":" + digest + "}]}";
        return HEAD + "Content-Length: " + json.length() + "\r\n\r\n" + json;
    }

    static Map<String, String> badAnswers() {
        String good = scan("A", "12", TEXT, DIGEST);
        return Map.ofEntries(
                Map.entry("no HTTP", "hello\r\n\r\n{}"),
                Map.entry("no head", "HTTP/1.0 200 OK\r\n" + "A: b\r\n".repeat(100_000)),
                Map.entry("too long", HEAD + "\r\n" + " ".repeat(1_000_000) + good.split("\r\n\r\n", 2)[1]),
                Map.entry("too short", good.replaceFirst("Content-Length: ", "Content-Length: 1")),
                Map.entry("cut", good.substring(0, good.length() - 1)),
                Map.entry("chunks", good.replaceFirst("Content-Length: \\d+", "Transfer-Encoding: chunked")),
                Map.entry("no JSON", HEAD + "\r\n{\"symbols\":{\"A\""),
                Map.entry("deep", HEAD + "\r\n" + "[".repeat(100_000)),
                Map.entry("a list", HEAD + "\r\n[1]"),
                Map.entry("an error", "HTTP/1.0 503 \u00e4\r\n\r\n{\"error\":\"a\\r\\nb\"}"),
                Map.entry("another name", scan("A B", "12", TEXT, DIGEST)),
                Map.entry("a name with a line", scan("A\\r\\nX-Evil: yes", "12", TEXT, DIGEST)),
                Map.entry("a kind with a line", scan("A", "12", "\"txt\\r\\nX-Evil: yes\"", DIGEST)),
                Map.entry("a digest with a line", scan("A", "12", TEXT, "\"ab\\r\\nX-Evil: yes\"")),
                Map.entry("no kind", scan("A", "12", "{}", DIGEST)),
                Map.entry("a score of zero", scan("A", "0", TEXT, DIGEST)),
                Map.entry("no number", scan("A", "\"1e999\"", TEXT, DIGEST)),
                Map.entry("no score", scan("A", "[]", TEXT, DIGEST)),
                Map.entry("no matches",
                        good.replaceFirst("Content-Length: \\d+\r\n", "").replace("matches", "others")));
    }

    static Set<String> badAnswerNames() {
        return badAnswers().keySet();
    }

    @ParameterizedTest
    @MethodSource("badAnswerNames")
    void aBadAnswerIsNoHit(String name) throws Exception {
        try (ScriptedHttp server = ScriptedHttp.answering(Objects.requireNonNull(badAnswers().get(name)))) {
            Programs.Result result = SpamAssassin.in(scratch, "weir_servers " + server.address())
                    .run(Mails.in(scratch).campaign(), "-D", "weir").succeeded();
            assertThat(result.out()).contains("tests=OWN_RULE ").containsPattern("\nX-Spam-Weir: (none|no answer)\n");
            assertThat(result.out() + result.err()).doesNotContain("\nX-Evil", "WEIR_", "rules: failed")
                    .doesNotContain("\r\nb\"");
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void aGoodAnswerOfTheSameServerIsAHit() throws Exception {
        try (ScriptedHttp server = ScriptedHttp.answering(scan("A", "12", TEXT, DIGEST))) {
            assertThat(SpamAssassin.in(scratch, "weir_servers " + server.address()).run(Mails.in(scratch).campaign())
                    .out()).contains("tests=OWN_RULE,WEIR_COPY ", "A(12.00)[1:0101010101:1.00:txt]");
        }
    }

    @Test
    void aChangeThatMayHaveCountedIsNotRepeated() throws Exception {
        Path mail = SpamAssassin.mail(scratch, 3);
        try (ScriptedHttp closing = ScriptedHttp.answering("")) {
            SpamAssassin spamassassin = SpamAssassin.in(scratch,
                    "weir_servers " + closing.address() + ", 127.0.0.1:" + weir.port());
            // A check is repeated.
            assertThat(spamassassin.run(mail).out()).contains("X-Spam-Weir: none");
            assertThat(spamassassin.run(mail, "-D", "reporter,weir", "--report").err())
                    .contains("the update may have counted", "could not report");
            assertThat(spamassassin.run(mail).out()).contains("X-Spam-Weir: none");
        }
    }

    @Test
    void localTestsAskOnlyThisMachine() throws Exception {
        Programs.Result result = SpamAssassin.in(scratch, "weir_servers 127.0.0.1:9 192.0.2.1:9")
                .run(Mails.in(scratch).campaign(), "-D", "weir");
        assertThat(result.err()).contains("not all servers are on this machine").doesNotContain("refused");
        assertThat(result.out()).contains("tests=OWN_RULE ", "\nX-Spam-Weir: \n");
    }

    @Test
    void theCheckOfTheConfigurationIsCleanAndNamesMistakes() throws Exception {
        Path mail = Mails.in(scratch).unrelated();
        Programs.Result clean = SpamAssassin.in(scratch, "weir_servers 127.0.0.1:9 [::1]:9, localhost:9 unix:/no/where",
                "weir_timeout 2s", "weir_max_size 1000000", "weir_password x", "weir_report_symbol A", "weir_learn 0",
                "weir_report_weight 3", "weir_wanted_symbol B", "use_weir 1").run(mail, "--lint").succeeded();
        assertThat(clean.out() + clean.err()).isEmpty();
        for (String wrong : new String[]{"weir_servers nowhere", "weir_servers 127.0.0.1:70000", "weir_max_size all",
            "weir_servers unix:relative", "weir_report_symbol A\u00e4", "weir_report_weight 0", "weir_timeout soon",
            "full WRONG eval:check_weir('none')", "full WRONG eval:check_weir('copy', 'all')"}) {
            Programs.Result result = SpamAssassin.in(scratch, wrong, "weir_password three words").run(mail, "--lint");
            assertThat(result.exit()).as(wrong).isNotZero();
            assertThat(result.err()).as(wrong).containsAnyOf("expected ", "invalid 'weir_timeout' value")
                    .doesNotContain("three words");
        }
    }

    /** {@code apt-get remove} keeps the files in {@code /etc}, and sa-update takes no rules while the check fails. */
    @Test
    void theCheckStaysCleanWhenThePackageIsRemoved() throws Exception {
        String page = Files.readString(Path.of("..", "..", "docs", "integrate", "spamassassin.md"));
        assertThat(page).contains("sed -i 's/^#tryplugin/tryplugin/' /etc/spamassassin/weir.pre");
        String start = "local.cf <<'END'\n";
        int begin = page.indexOf(start) + start.length();
        SpamAssassin removed = SpamAssassin.in(scratch);
        Files.writeString(removed.site().resolve("local.cf"), page.substring(begin, page.indexOf("END\n", begin)));
        Files.writeString(removed.site().resolve("weir.pre"), Files.readString(SpamAssassin.PLUGIN.resolve("weir.pre"))
                .replace("#tryplugin", "tryplugin"));
        Programs.Result result = removed.run(Mails.in(scratch).unrelated(), "--lint").succeeded();
        assertThat(result.out() + result.err()).isEmpty();
    }

    @Test
    void theRulesOfSpamAssassinItselfGoWithIt() throws Exception {
        // The command runs in taint mode, and with it the plugin.
        assertThat(Files.readString(Path.of("/usr/bin/spamassassin")).lines().findFirst()).hasValueSatisfying(
                line -> assertThat(line).contains(" -T"));
        Programs.Result result = Programs.run(scratch, "spamassassin", "--lint", "--pre",
                "loadplugin Mail::SpamAssassin::Plugin::Weir " + SpamAssassin.PLUGIN.resolve("Weir.pm"),
                "--cf", "include " + SpamAssassin.PLUGIN.resolve("weir.cf")).succeeded();
        assertThat(result.out() + result.err()).isEmpty();
    }

    @Test
    void thePageAndTheManualListEverySetting() throws Exception {
        String module = Files.readString(SpamAssassin.PLUGIN.resolve("Weir.pm"));
        Set<String> settings = names("setting => '(\\w+)'", module);
        assertThat(settings).hasSize(9);
        assertThat(names("(?m)^=item (\\w+) ", module)).containsAll(settings);
        String page = Files.readString(Path.of("..", "..", "docs", "integrate", "spamassassin.md"));
        assertThat(names("(?m)^\\| `((?:use_)?weir\\w*)` \\|", page)).isEqualTo(settings);
        assertThat(names("(?m)^score +(WEIR_\\w+)", Files.readString(SpamAssassin.PLUGIN.resolve("weir.cf"))))
                .allSatisfy(rule -> assertThat(page).contains("`" + rule + "`"));
    }

    private static Set<String> names(String pattern, String text) {
        return Pattern.compile(pattern).matcher(text).results().map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
