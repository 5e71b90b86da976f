package dev.weir.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Collectors;

import dev.weir.testkit.Installed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The programs that scan mails, with a few of them, against the real Rspamd. */
@Tag("peers")
class ScanProgramsTest {
    @TempDir
    Path scratch;

    @TempDir
    Path mails;

    private void write(int count) throws IOException {
        Installed.require("rspamd", "rspamd");
        for (int i = 0; i < count; i++) {
            String words = new Random(i).ints(200, 0, 100_000).mapToObj(word -> "w" + Integer.toString(word, 36))
                    .collect(Collectors.joining(" "));
            Files.writeString(mails.resolve(i + ".eml"), "From: <a@sender.example>\nSubject: test\n"
                    + "Content-Type: text/html\n\n<p style='color:#" + (100 + i) + "'>" + words + "</p>\n",
                    StandardCharsets.US_ASCII);
        }
    }

    @Test
    void scansAreComparedByProcessorTimeAndHaveAProfile() throws Exception {
        write(6);
        ProgramRun run = ProgramRun.of(scratch, "http", "--mails", mails.toString(), "--warm-up", "1", "--seconds",
                "6", "--rounds", "1", "--connections", "2", "--profile");
        assertThat(run.status()).as(run.toString()).isZero();
        for (String scanner : new String[]{"Weir", "Rspamd"}) {
            assertThat(run.row(scanner)[2]).as(run.toString()).matches("[0-9.]+ ms").isNotEqualTo("0.000 ms");
            // Every second mail is known, but the load ends anywhere.
            assertThat(percent(run.row(scanner)[8])).isBetween(25.0, 75.0);
        }
        assertThat(run.out()).containsPattern("Weir by Rspamd, median of the rounds: [0-9.]+ .* by processor time");
        // A new JVM compiles all the time.
        assertThat(percent(run.row("JIT compilers")[1])).isPositive();
        // On a busy machine, there are few samples.
        assertThat(percent(run.row("HTTP in Java")[1])).as(run.toString()).isPositive();
        assertThat(run.row("words and stemming")[1]).endsWith(" %");
    }

    private static double percent(String cell) {
        return Double.parseDouble(cell.replace(" %", ""));
    }

    @Test
    void hashingAFolderIsComparedWithScanningIt() throws Exception {
        // The system counts processor time in steps of 10 ms.
        write(400);
        ProgramRun run = ProgramRun.of(scratch, "hash", "--mails", mails.toString(), "--rounds", "1");
        assertThat(run.status()).as(run.toString()).isZero();
        for (String hasher : new String[]{"weir hash", "Rspamd"}) {
            assertThat(run.row(hasher)[2]).as(run.toString()).matches("[0-9.]+ ms").isNotEqualTo("0.000 ms");
            assertThat(run.row(hasher)[3]).isEqualTo("0");
        }
        assertThat(run.out()).contains("400 mails, ");
    }
}
