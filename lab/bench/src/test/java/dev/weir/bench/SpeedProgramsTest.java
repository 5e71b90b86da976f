package dev.weir.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import dev.weir.bench.peer.Subject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The programs that measure speed, with small numbers, against the real servers. */
class SpeedProgramsTest {
    @TempDir
    Path scratch;

    @Test
    void theWireIsComparedAndDrawn() throws Exception {
        boolean rspamd = Subject.RSPAMD_SQLITE.missing().isEmpty();
        ProgramRun wire = speed("wire", "--hashes", "500", "--rounds", "1", "--cases", "miss,fuzzy20+box",
                "--echo-source",
                Path.of("src", "main", "c", "echo.c").toString());
        assertThat(wire.status()).as(wire.toString()).isZero();
        assertThat(wire.row("echo, Java", "-")[2]).isNotEqualTo("0");
        for (String server : rspamd ? new String[]{"Weir", "Rspamd, sqlite"} : new String[]{"Weir"}) {
            for (String load : new String[]{"miss", "fuzzy20+box"}) {
                String[] row = wire.row(server, load);
                assertThat(row[2]).isNotEqualTo("0");
                assertThat(row[4]).as("wrong answers of " + server + "\n" + wire).isEqualTo("0");
            }
        }
        Path picture = scratch.resolve("picture.svg");
        ProgramRun drawn = speed("picture", picture.toString());
        assertThat(drawn.status()).as(drawn.toString()).isZero();
        assertThat(Files.readString(picture)).startsWith("<svg").contains("Weir, miss", "echo, Java")
                .endsWith("</svg>\n");
    }

    @Test
    void latencyMemoryStartKeysAndCores() throws Exception {
        ProgramRun latency = speed("latency", "--hashes", "500", "--rounds", "1", "--learns", "200");
        assertThat(latency.status()).as(latency.toString()).isZero();
        assertThat(latency.out()).contains("p99.9 with learns by p99.9 without");
        assertThat(speed("memory", "--hashes", "500").row("500", "32")).hasSizeGreaterThan(3);
        assertThat(speed("start", "--hashes", "500", "--rounds", "1").row("500")[1]).endsWith("s");
        ProgramRun keys = speed("keys", "--hashes", "500", "--rate", "200", "--flood", "0,100");
        assertThat(keys.row("100")[5]).as("wrong answers\n" + keys).isEqualTo("0");
        assertThat(speed("cores", "--hashes", "500", "--workers", "1", "--cases", "miss").row("1", "miss")[3])
                .isEqualTo("1.00");
    }

    /** Runs one of the measurements of speed. */
    private ProgramRun speed(String... words) throws IOException {
        return ProgramRun.keeping(scratch, Stream.concat(Stream.of(words),
                Stream.of("--warm-up", "0.1", "--seconds", "0.2", "--outstanding", "32")).toArray(String[]::new));
    }
}
