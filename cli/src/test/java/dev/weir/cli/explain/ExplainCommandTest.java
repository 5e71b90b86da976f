package dev.weir.cli.explain;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.weir.cli.Run;
import dev.weir.cli.demo.Samples;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests the text and the JSON of {@code weir explain}. */
class ExplainCommandTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String SHORT = """
            Subject: hi
            Content-Type: multipart/mixed; boundary=b

            --b
            Content-Type: text/plain

            Too short.
            --b
            Content-Type: image/gif

            GIF89a\1\1\1\1 and so on
            --b
            Content-Type: application/octet-stream; name=x.bin

            small
            --b--
            """;

    @TempDir
    Path folder;

    private Path spam = Path.of("");
    private Path changed = Path.of("");

    @BeforeEach
    void write() throws IOException {
        Samples.Campaign campaign = Samples.campaigns().getFirst();
        spam = Files.write(folder.resolve("spam.eml"), campaign.mail());
        changed = Files.write(folder.resolve("changed.eml"), campaign.copies().getFirst().mail());
    }

    @Test
    void showsHashedPartsAndTheirWords() {
        Run run = Run.weir("explain", spam.toString());
        assertThat(run.status()).isZero();
        assertThat(run.out()).contains("part 0", "words, language en", "hashed as txt, 32 shingles");
    }

    @Test
    void showsWhyPartsAreNotHashed() {
        Run run = Run.weirReading(SHORT.getBytes(StandardCharsets.UTF_8), "explain", "-");
        assertThat(run.status()).isZero();
        assertThat(run.out()).contains("multipart/mixed, a container", "not as txt: 2 words, the rule requires 64",
                "not as shorttext:", "bytes of text and subject, weighted, the rule requires 1,024",
                "not as img: 257 pixels high, the rule requires 500", "not as bin: 6 bytes, the rule requires 1,024")
                .doesNotContain("hashed as ");
    }

    @Test
    void showsWhyHtmlTextIsHidden() {
        byte[] mail = """
                Content-Type: text/html; charset=utf-8

                <div style="display:none">Preview &amp; more
                  text</div>
                <table style="font-size:0">
                <tr><td>one</td><td><b>two</b></td><td style="font-size:12px">seen</td></tr></table>
                <p style="color:#fefefe">white</p> <p hidden>attribute</p> <p style="visibility:hidden">\u001b</p>
                <p style="opacity:0">faint<span>shown</span></p><div style="height:0;overflow:hidden">flat</div>
                """.getBytes(StandardCharsets.UTF_8);
        Run run = Run.weirReading(mail, "explain", "-");
        assertThat(run.status()).isZero();
        assertThat(run.out().lines().map(String::strip).filter(line -> line.startsWith("hidden:"))).containsExactly(
                "hidden: display none from line 1: Preview & more text",
                "hidden: font-size 0 from line 3: one two",
                "hidden: color #fefefe from line 5: white",
                "hidden: attribute hidden from line 5: attribute",
                "hidden: visibility hidden from line 5: \ufffd",
                "hidden: opacity below 0.1 from line 6: faint",
                "hidden: overflow hidden at size 0 from line 6: flat");
        JsonNode hidden = JSON.readTree(Run.weirReading(mail, "explain", "--json", "-").out()).path("parts").path(0)
                .path("hidden");
        assertThat(hidden.size()).isEqualTo(7);
        assertThat(hidden.path(1).path("reason").asString()).isEqualTo("font-size 0");
        assertThat(hidden.path(1).path("line").asInt()).isEqualTo(3);
        assertThat(hidden.path(1).path("text").asString()).isEqualTo("one two");
    }

    @Test
    void shortensHiddenTextsByDefault() {
        String mail = "Content-Type: text/html\n\n" + "<p hidden>word</p><p>x</p>".repeat(12) + "<p hidden>"
                + "long text ".repeat(10) + "</p>";
        byte[] bytes = mail.getBytes(StandardCharsets.UTF_8);
        assertThat(Run.weirReading(bytes, "explain", "-").out()).contains("hidden: 3 more texts");
        assertThat(Run.weirReading(bytes, "explain", "--all-words", "-").out())
                .contains(": " + "long text ".repeat(10).strip()).doesNotContain("more texts");
    }

    @Test
    void comparesTwoMails() {
        Run run = Run.weir("explain", spam.toString(), changed.toString());
        assertThat(run.status()).isZero();
        assertThat(run.out()).contains("as txt: found as part", "shingles are equal", "only in the second:");
    }

    @Test
    void differentMailsHaveExitStatusOne() throws IOException {
        Path other = Files.writeString(folder.resolve("other.eml"), SHORT);
        Run run = Run.weir("explain", spam.toString(), other.toString());
        assertThat(run.status()).isOne();
        assertThat(run.out()).contains("has no hashes to look up");
    }

    /** By default, all kinds are compared, but only those that a check asks for decide about the exit status. */
    @Test
    void saysByWhichKindsTwoMailsAreNearAndShowsWhatDecides() throws IOException {
        String page = "Subject: Your mailbox is nearly full%s\nContent-Type: text/html\n\n<table width=600 border=0 "
                + "align=center cellpadding=0 cellspacing=0><tr><td style=\"color: red; margin: auto\"><p align=left "
                + "class=first>%s</p><a href=\"https://evil-site.com/%s\">Confirm</a><b>or</b><i>else</i></td></tr>"
                + "</table>\n";
        Path one = Files.writeString(folder.resolve("one.eml"), page.formatted("", "Please confirm", "first/"));
        Path other = Files.writeString(folder.resolve("two.eml"), page.formatted(" 4711", "Please confirm", "x/y/z"));
        Run run = Run.weir("explain", one.toString(), other.toString());
        assertThat(run.status()).as(run.out()).isOne();
        assertThat(run.out()).contains(
                "near by: source1 (only checks with kinds {} ask for it), subject1 (only checks",
                "as source1: found", "in both:            table width 600 border | ",
                "as subject1: found", "in both:            your mailbox is nearly full");
        Run asked = Run.weir("explain", "--kinds", "source", one.toString(), other.toString());
        assertThat(asked.status()).as(asked.out()).isZero();
        assertThat(asked.out()).contains("near by: source1" + System.lineSeparator()).doesNotContain("subject1");
        assertThat(Run.weir("explain", "--kinds", "rspamd", one.toString(), other.toString()).out())
                .contains("near by no kind of hash").doesNotContain("source1");
        JsonNode json = JSON.readTree(Run.weir("explain", "--json", one.toString(), other.toString()).out());
        JsonNode subject = json.path("matches").path(json.path("matches").size() - 1);
        assertThat(subject.path("kind").asString()).isEqualTo("subject1");
        assertThat(subject.path("asked").asBoolean(true)).isFalse();
        assertThat(subject.path("pieces_in_both").path(0).asString()).isEqualTo("your mailbox is nearly full");
    }

    /** A rule has a threshold for each kind, and the storage one for each flag; the greater one counts. */
    @Test
    void theThresholdOfTheRuleAndOfItsStorageCount() throws IOException {
        String row = "<tr><td><b>one</b></td><td style=\"color: red\"><i>two</i></td></tr>";
        String page = "Subject: page\nContent-Type: text/html\n\n<table width=600 border=0>" + row.repeat(6)
                + "%s</table>\n";
        Path one = Files.writeString(folder.resolve("one.eml"), page.formatted("<tr><td>end</td></tr>"));
        Path other = Files.writeString(folder.resolve("two.eml"), page.formatted(
                "<ul class=x><li><a href=http://a.example/>far</a></li><li><u>away</u></li></ul>"
                        + "<h1>and</h1><h2>on</h2>"));
        JsonNode usual = source(Run.weir("explain", "--json", one.toString(), other.toString()));
        assertThat(usual.path("needed").asInt(0)).isEqualTo(17);
        int equal = usual.path("equal_shingles").size();
        assertThat(equal).isBetween(8, 31);
        for (boolean enough : new boolean[]{true, false}) {
            int threshold = equal + (enough ? 0 : 1);
            Path rules = Files.writeString(folder.resolve("fuzzy_check.conf"), """
                    fuzzy_check { rule "local" { algorithm = "mumhash"; servers = "127.0.0.1:11335"; symbol = "LOCAL";
                      kinds { trusted_hosts = "mx.example.org"; source { threshold = %d; } }
                      fuzzy_map = { LOCAL_DENIED { flag = 11; max_score = 20; } } } }
                    """.formatted(threshold));
            Run run = Run.weir("explain", "-c", rules.toString(), one.toString(), other.toString());
            assertThat(run.status()).as(run.out() + run.err()).isEqualTo(enough ? 0 : 1);
            assertThat(run.out()).startsWith("rule local");
            assertThat(run.out().contains("a match needs " + threshold)).isEqualTo(!enough);
            JsonNode json = source(Run.weir("explain", "--json", "-c", rules.toString(), one.toString(),
                    other.toString()));
            assertThat(json.path("needed").asInt(0)).isEqualTo(threshold);
        }
        Path both = Files.writeString(folder.resolve("weir.conf"),
                """
                        worker "fuzzy" { bind_socket = "127.0.0.1:11335"; hash_file = "%s/fuzzy.db"; flag_thresholds { 31 = 12 } }
                        fuzzy_check { rule "local" { algorithm = "mumhash"; servers = "127.0.0.1:11335"; symbol = "LOCAL";
                          kinds { trusted_hosts = "mx.example.org"; source { threshold = 8; } chars { threshold = 8; } }
                          fuzzy_map = { LOCAL_DENIED { flag = 11; max_score = 20; } } } }
                        """
                        .formatted(folder));
        Run run = Run.weir("explain", "--json", "-c", both.toString(), one.toString(), other.toString());
        assertThat(source(run).path("needed").asInt(0)).as("the storage answers from 12 on").isEqualTo(12);
        assertThat(Run.weir("explain", "--kinds", "source", "-c", both.toString(), one.toString()).status())
                .isEqualTo(2);
        assertThat(Run.weir("explain", "-c", both.toString(), one.toString()).out()).startsWith("rule local");
    }

    private static JsonNode source(Run run) {
        return JSON.readTree(run.out()).path("matches").valueStream()
                .filter(match -> match.path("kind").asString("").startsWith("source")).findFirst()
                .orElseThrow(() -> new AssertionError(run.out() + run.err()));
    }

    @Test
    void printsJson() {
        Run run = Run.weirReading(SHORT.getBytes(StandardCharsets.UTF_8), "explain", "--json", "-");
        JsonNode parts = JSON.readTree(run.out()).path("parts");
        assertThat(parts.size()).isEqualTo(4);
        assertThat(parts.path(3).path("refused").path(0).path("reason").asString()).isEqualTo("too_small");
        assertThat(parts.path(3).path("refused").path(0).path("needed").asInt()).isEqualTo(1024);

        JsonNode both = JSON.readTree(Run.weir("explain", "--json", spam.toString(), changed.toString()).out());
        JsonNode match = both.path("matches").path(0);
        assertThat(match.path("found").asBoolean()).isTrue();
        assertThat(match.path("probability").asDouble())
                .isEqualTo(match.path("same_digest").asBoolean() ? 1.0 : match.path("equal_shingles").size() / 32.0);
    }

    @Test
    void escapesControlCharactersOfAMail() {
        String mail = "Subject: =?utf-8?Q?a=1B[2Jb?=\nContent-Type: text/plain\n\nbody \u001b[31m red\n";
        Run run = Run.weirReading(mail.getBytes(StandardCharsets.UTF_8), "explain", "-");
        assertThat(run.status()).isZero();
        assertThat(run.out()).doesNotContain("\u001b");
    }

    @Test
    void rejectsInputThatIsNotAMail() {
        assertThat(Run.weir("explain", folder.resolve("absent").toString()).status()).isEqualTo(3);
        assertThat(Run.weir("explain", folder.toString()).err()).contains("explain takes single mails, not a folder");
        assertThat(Run.weir("explain").status()).isEqualTo(2);
        assertThat(Run.weir("explain", "--languages", folder.toString(), spam.toString()).err())
                .contains("not a languages folder of Rspamd");
    }
}
