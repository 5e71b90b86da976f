package dev.weir.bench;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

import dev.weir.bench.hashing.Hostile;
import dev.weir.hash.mime.MimeReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The programs that compare hashes, on a recording made by hand. */
class HashingProgramsTest {
    private static final String MAIL = "Subject: x\nContent-Type: application/octet-stream; name=a.bin\n\n"
            + "0123456789".repeat(200);

    @TempDir
    Path folder;

    private String run(int status, String... arguments) {
        StringWriter out = new StringWriter();
        assertThat(Main.run(new PrintWriter(out), new PrintWriter(out), arguments)).as(out.toString())
                .isEqualTo(status);
        return out.toString();
    }

    private Path recording(String digest) throws Exception {
        Path mails = Files.createDirectories(folder.resolve("mails"));
        Files.writeString(mails.resolve("a.eml"), MAIL, StandardCharsets.US_ASCII);
        return Files.writeString(folder.resolve("recorded.json"), """
                {"a.eml": {"cmds": [{"kind": "bin", "digest": "%s"}],
                 "parts": [{"ct": "application/octet-stream", "kind": "other", "len": 2000, "digest": "%s"}]},
                 "b.eml": {"cmds": [], "error": "no answer"}}
                """.formatted(digest, digest));
    }

    @Test
    void saysWhichHashesDifferAndFromWhichStepOn() throws Exception {
        Path recorded = recording("00");
        String out = run(1, "exact", folder.resolve("mails").toString(), "--recorded", recorded.toString(),
                "--details", "--least-mails", "100");
        assertThat(out).contains("a.eml: BODY", "[missing [bin], surplus [bin]]", "{BODY=1}",
                "Rspamd failed for 1 mails");
    }

    @Test
    void countsWhatIsEqual() throws Exception {
        String wrong = run(0, "exact", folder.resolve("mails").toString(), "--recorded",
                recording("00").toString());
        assertThat(wrong).containsPattern("whole mails \\|\\s+1 \\|\\s+0 \\|\\s+0.00 %");
        String right = run(0, "exact", folder.resolve("mails").toString(), "--recorded",
                recording(digest()).toString(), "--least-mails", "100", "--least-hashes", "100");
        assertThat(right).containsPattern("bin\\s+\\|\\s+1 \\|\\s+1 \\|\\s+100.00 %");
    }

    @Test
    void oracleHashesByTheSameRule() throws Exception {
        Path recorded = recording(digest());
        Path oracle = Files.writeString(folder.resolve("oracle"), """
                #!/bin/sh
                cp '%s' "$2"
                shift 2
                echo "$*" > '%s'
                echo '1 files, 1 commands, 0 errors, 1.0 s'
                """.formatted(recorded, folder.resolve("arguments")));
        assertThat(oracle.toFile().setExecutable(true)).isTrue();
        run(0, "exact", folder.resolve("mails").toString(), "--oracle", oracle.toString(), "--html", "--least-mails",
                "100");
        assertThat(folder.resolve("arguments")).hasContent("mumhash --version 4 --html --full");
        run(0, "exact", folder.resolve("mails").toString(), "--oracle", oracle.toString(), "--like", "3.4",
                "--algorithm", "SIPHASH");
        assertThat(folder.resolve("arguments")).hasContent("siphash --version 3 --full");
        assertThat(run(2, "exact", folder.toString(), "--oracle", oracle.toString(), "--like", "2.7"))
                .contains("is not supported: use 4.1.6 or 3.4");
    }

    /** What every client makes of the body. */
    private static String digest() {
        return HexFormat.of().formatHex(MimeReader
                .read(MAIL.getBytes(StandardCharsets.US_ASCII)).parts().getFirst().digest());
    }

    @ParameterizedTest
    @EnumSource
    void hostileMailsHaveTheSizeAskedFor(Hostile hostile) {
        assertThat(hostile.mail(1_000)).hasSize(1_000);
        assertThat(hostile.mail(100_000)).hasSize(100_000);
    }

    /** The same seed searches the same mails; what is found has the size that was asked for. */
    @Test
    void huntsForTheSlowestMail() throws Exception {
        Path saved = folder.resolve("finds");
        StringWriter out = new StringWriter();
        int status = Main.run(new PrintWriter(out), new PrintWriter(out), "hunt", "--rounds", "1", "--size",
                "2000",
                "--finds", "3", "--save", saved.toString());
        assertThat(status).as(out.toString()).isBetween(0, 1);
        assertThat(out.toString()).contains("| made of", "processor time", "times |");
        try (var files = Files.list(saved)) {
            assertThat(files).hasSize(3).allSatisfy(file -> assertThat(Files.size(file)).isBetween(500L, 4_000L));
        }
    }
}
