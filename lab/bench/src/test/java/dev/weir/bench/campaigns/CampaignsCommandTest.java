package dev.weir.bench.campaigns;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import dev.weir.testkit.Installed;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Four mails of spam, of which the second and the third resemble the first, and four wanted mails, of which one has the
 * template of the spam, and two share another one.
 */
final class CampaignsCommandTest {
    @TempDir
    Path folder;

    private Path spam = Path.of("");
    private Path ham = Path.of("");

    @BeforeEach
    void write() throws IOException {
        spam = Files.createDirectory(folder.resolve("spam"));
        ham = Files.createDirectory(folder.resolve("ham"));
        // The names say nothing about the order. The third mail is a copy of the first.
        mail(spam.resolve("c.eml"), "evil-one.com", 1, "row", "Please confirm your mailbox now");
        mail(spam.resolve("a.eml"), "evil-two.com", 2, "row", "A parcel waits for you at the depot");
        mail(spam.resolve("b.eml"), "evil-one.com", 3, "row", "Please confirm your mailbox now");
        mail(spam.resolve("d.eml"), "evil-six.com", 4, "zone", "Nothing that was seen before");
        mail(ham.resolve("hit.eml"), "club.example.org", 5, "row", "The chess club meets on Friday");
        mail(ham.resolve("one.eml"), "one.example.org", 6, "cell", "The choir sings on Sunday");
        mail(ham.resolve("two.eml"), "two.example.org", 7, "cell", "Your books are due");
        Files.writeString(ham.resolve("far.eml"), "From: <a@b.example>\nSubject: Lunch\n\nAt one, as usual?\n");
    }

    private static void mail(Path file, String host, int day, String style, String text) throws IOException {
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 40; i++) {
            rows.append("<tr><td class=").append(style).append((char) ('a' + i % 26)).append(">").append(style)
                    .append((char) ('a' + i / 2 % 26)).append("</td></tr>\n");
        }
        Files.writeString(file, "Date: Mon, " + day + " Nov 2025 10:00:00 +0000\nFrom: <a@" + host + ">\nSubject: "
                + text + "\nMIME-Version: 1.0\nContent-Type: text/html\n\n<html><body bgcolor=white><table width=600>"
                + rows
                + "<tr><td>" + text + "</td></tr></table><a href=\"https://" + host + "/x/\">Go</a></body></html>\n");
    }

    private List<String> run(String... more) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        List<String> words = new ArrayList<>(List.of("--spam", spam.toString(), "--ham", ham.toString()));
        words.addAll(List.of(more));
        int status = new CommandLine(new CampaignsCommand()).setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(out)).setErr(new PrintWriter(err)).execute(words.toArray(String[]::new));
        assertThat(status).as(err.toString()).isZero();
        return out.toString().lines().toList();
    }

    /** Returns the cells after the name of a row. */
    private static List<String> row(List<String> lines, String name) {
        return lines.stream()
                .map(line -> Stream.of(line.split("\\|", -1)).map(String::strip).toList())
                .filter(cells -> cells.size() > 3 && cells.get(1).equals(name))
                .map(cells -> cells.subList(2, cells.size() - 1)).findFirst()
                .orElseThrow(() -> new AssertionError("no row " + name + " in\n" + String.join("\n", lines)));
    }

    @Test
    void countsWhatResemblesAnEarlierMailByKind() {
        List<String> lines = run();
        assertThat(row(lines, "source alone")).containsExactly("2", "50.0 %", "1");
        assertThat(row(lines, "subject alone")).containsExactly("1", "25.0 %", "0");
        assertThat(row(lines, "all")).containsExactly("2", "50.0 %", "1");
        assertThat(lines).contains("0 mails have no hash, 0 were not hashed");
    }

    @Test
    void countsMatchesBetweenHonestSenders() {
        List<String> lines = run();
        assertThat(lines).anyMatch(line -> line.startsWith("| matches of different senders and subjects | ham of 4 |"));
        assertThat(row(lines, "source")).containsExactly("1");
        assertThat(row(lines, "subject")).containsExactly("0");
        assertThat(row(lines, "any kind beyond Rspamd's")).containsExactly("1");
    }

    @Test
    void aLongFoldedFieldIsRead() throws IOException {
        Files.writeString(ham.resolve("folded.eml"), "References:" + "\n <a@b.example>".repeat(2000)
                + "\nFrom: <a@b.example>\nReceived: by b.example;" + "\n\tid 7".repeat(2000) + "\nSubject: A\n long one"
                + "\n\nText\n");
        StreamMail mail = StreamMail.read(ham.resolve("folded.eml"));
        assertThat(mail.sender()).isEqualTo("b.example");
        assertThat(row(run(), "all")).containsExactly("2", "50.0 %", "1");
    }

    @Test
    void aFoldedSubjectIsOneSubject() throws IOException {
        Files.writeString(ham.resolve("folded.eml"), "From: <a@b.example>\nSubject: Re: One\n\tlong one\n\nText\n");
        assertThat(StreamMail.read(ham.resolve("folded.eml")).subject()).isEqualTo("one long one");
    }

    /** CR and LF end one line, not two: the head of the mail goes on after it. */
    @Test
    void aMailWithCarriageReturnsHasItsDateItsSenderAndItsSubject() throws IOException {
        String lines = "Return-Path: <x@y.example>\nReceived: by b.example;\n\tTue, 3 Mar 2026 10:20:30 +0200\n"
                + "From: <a@b.example>\nSubject: One\n\tlong one\n\nFrom: <no@c.example>\nText\n";
        StreamMail plain = StreamMail.read(Files.writeString(ham.resolve("lf.eml"), lines));
        StreamMail mail = StreamMail.read(Files.writeString(ham.resolve("crlf.eml"), lines.replace("\n", "\r\n")));
        assertThat(mail.arrival()).isEqualTo("2026-03-03T08:20:30Z").isEqualTo(plain.arrival());
        assertThat(mail.sender()).isEqualTo("b.example").isEqualTo(plain.sender());
        assertThat(mail.subject()).isEqualTo("one long one").isEqualTo(plain.subject());
        String noSubject = lines.replace("Subject: One\n\tlong one\n", "").replace("Text", "Subject: of the text");
        assertThat(StreamMail.read(Files.writeString(ham.resolve("body.eml"), noSubject.replace("\n", "\r\n")))
                .subject()).isEmpty();
    }

    /** The mails on which thresholds are chosen are not those of the report. */
    @Test
    void choosesThresholdsOnOtherMails() throws IOException {
        Path choose = Files.createDirectory(folder.resolve("choose"));
        Files.writeString(choose.resolve("far.eml"), "From: <a@b.example>\nSubject: Lunch\n\nAt one, as usual?\n");
        List<String> loose = run("--choose", choose.toString());
        assertThat(loose).anyMatch(line -> line.startsWith("| Rspamd's and source from 8 "));
        assertThat(loose).noneMatch(line -> line.contains("choose of"));
        mail(choose.resolve("near.eml"), "books.example.org", 5, "row", "The chess club meets on Friday");
        List<String> strict = run("--choose", choose.toString());
        assertThat(strict).anyMatch(line -> line.startsWith("| Rspamd's and source from 17 "));
        assertThat(run("--choose", choose.toString(), "--threshold", "source=12"))
                .anyMatch(line -> line.startsWith("| Rspamd's and source from 12 "));
    }

    @Test
    void listsMatchesBetweenHonestSenders() {
        List<String> lines = run("--near", "1");
        int title = lines.indexOf("mails of different senders and subjects that match by source");
        assertThat(title).isPositive();
        assertThat(lines.get(title + 1)).matches(" +\\d+ of 32: two\\.eml and one\\.eml");
    }

    @Test
    void furtherSpamIsLearnedButNotCounted() throws IOException {
        Path known = Files.createDirectory(folder.resolve("known"));
        mail(known.resolve("x.eml"), "evil-one.com", 1, "zone", "Learned before");
        List<String> lines = run("--known", known.toString());
        assertThat(row(lines, "source alone")).containsExactly("3", "75.0 %", "1");
    }

    @Test
    void listsHitsAndNearMisses() throws IOException {
        Path file = folder.resolve("nearest.txt");
        List<String> lines = run("--hits", "--near", "1", "--nearest", file.toString());
        assertThat(lines).anyMatch(line -> line.startsWith("hit hit.eml source "));
        int title = lines.indexOf("missed spam nearest to a match by chars");
        assertThat(title).isPositive();
        assertThat(lines.get(title + 1)).matches(" +\\d+ of 32: [cd]\\.eml and [abc]\\.eml|honest mails .*");
        assertThat(lines).contains("honest mails nearest to a match by source");
        assertThat(Files.readAllLines(file)).hasSize(8).anyMatch(line -> line.startsWith("a.eml source "));
    }

    @Test
    void measuresTheCost() {
        List<String> lines = run("--cost");
        assertThat(row(lines, "Rspamd's").get(0)).isNotEmpty();
        assertThat(row(lines, "and all")).hasSize(2);
    }

    /** The real programs find the copy. */
    @ParameterizedTest
    @EnumSource
    void comparesWithOtherPrograms(OtherTool tool) {
        String program = tool == OtherTool.TLSH ? "tlsh_unittest" : tool.title();
        Installed.require(program, tool == OtherTool.TLSH ? "tlsh-tools" : program);
        List<String> lines = run("--beside", tool.name().toLowerCase(Locale.ROOT));
        String row = lines.stream().filter(line -> line.startsWith("| " + tool.title()) && line.contains(" alone "))
                .findFirst().orElseThrow();
        assertThat(row).contains("%").doesNotContain(" 0.0 %");
    }
}
