package dev.weir.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The program that measures waves, with short streams. */
class WaveProgramsTest {
    private static ProgramRun run(String... words) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = Main.run(new PrintWriter(out), new PrintWriter(err), words);
        return new ProgramRun(status, out.toString(), err.toString());
    }

    @Test
    void plantedWavesAreFoundBesideAFlood() {
        ProgramRun run = run("waves", "--seconds", "4", "--rate", "400", "--flood", "2000");
        assertThat(run.status()).as(run.toString()).isZero();
        for (String sizes : new String[]{"20 to 49", "50 to 199", "200 to 999", "1000 to 5000"}) {
            String[] row = run.row(sizes);
            assertThat(row[2]).as("found of %s", sizes).isEqualTo(row[1]);
            assertThat(Double.parseDouble(row[4].replace(" %", ""))).as("counted of %s", sizes).isBetween(80.0, 102.0);
        }
        assertThat(run.out()).contains("0 of them with 20 checks or more");
    }

    @Test
    void missesAreComparedWithAndWithoutWaves(@TempDir Path scratch) throws Exception {
        ProgramRun run = ProgramRun.keeping(scratch, "misses", "--hashes", "500", "--pairs", "1", "--rounds", "1",
                "--answering", "3", "--in-flight", "32", "--warm-up", "0.1", "--seconds", "2");
        // One round cannot show what the limit is about.
        assertThat(run.status()).as(run.toString()).isIn(0, 1);
        assertThat(run.out()).contains("Verdict: ", "weir_waves_answering 3\n");
        for (String asked : new String[]{"with shingles", "without"}) {
            String[] row = run.row(asked, "32");
            assertThat(row[2]).as("rate without waves").isNotEqualTo("0");
            assertThat(row[3]).as("rate with waves").isNotEqualTo("0");
            assertThat(row[6]).as("time of a check with waves").endsWith(" µs");
        }
        assertThat(run.out().lines().filter(line -> line.startsWith("weir_waves_checks_total "))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1))).sum()).isGreaterThan(100);
    }

    private static void mail(Path folder, int number, long text) throws IOException {
        String words = new Random(text).ints(100, 0, 100_000).mapToObj(i -> "w" + Integer.toString(i, 36) + "ord")
                .collect(Collectors.joining(" "));
        Files.writeString(folder.resolve(number + ".eml"), """
                Received: from a.example by b.example; Mon, 2 Mar 2026 10:%02d:00 +0000
                Date: Mon, 2 Mar 2026 10:%02d:00 +0000
                From: a@example.org
                Content-Type: text/plain

                %s number %d
                """.formatted(number, number, words, number));
    }

    @Test
    void realMailsAreFlaggedOnceEnoughSimilarOnesCame(@TempDir Path scratch) throws IOException {
        Path spam = Files.createDirectory(scratch.resolve("spam"));
        Path ham = Files.createDirectory(scratch.resolve("ham"));
        for (int i = 0; i < 6; i++) {
            mail(spam, i, 1);
            mail(ham, i, 100 + i);
        }
        ProgramRun run = run("waves", "--spam", spam.toString(), "--ham", ham.toString());
        assertThat(run.status()).as(run.toString()).isZero();
        assertThat(run.row("Rspamd's", "17", "2")).endsWith("4 (66.7 %)", "0 (0.0 %)", "");
        assertThat(run.row("Rspamd's", "17", "5")).endsWith("1 (16.7 %)", "0 (0.0 %)", "");
        assertThat(run.out()).contains("0 mails were not hashed");
    }
}
