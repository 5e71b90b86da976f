package dev.weir.bench;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import dev.weir.bench.peer.Subject;
import dev.weir.bench.report.Table;
import dev.weir.testkit.Installed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** All programs with small numbers, against the real servers. */
class ProgramsTest {
    @TempDir
    Path scratch;

    private record Run(int status, String out, String err) {}

    private Run run(String... words) throws Exception {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = Main.run(new PrintWriter(out), new PrintWriter(err),
                Stream.concat(Stream.of(words), Stream.of("--dir", scratch.toString())).toArray(String[]::new));
        try (Stream<Path> left = Files.list(scratch)) {
            assertThat(left).as("left behind").isEmpty();
        }
        return new Run(status, out.toString(), err.toString());
    }

    /** Returns the cells of the row that begins with these. */
    private static String[] row(Run run, String... first) {
        return run.out().lines()
                .filter(line -> line.startsWith("|"))
                .map(line -> line.substring(1).strip().split("\\s*\\|\\s*", -1))
                .filter(cells -> cells.length > first.length
                        && Stream.iterate(0, i -> i < first.length, i -> i + 1)
                                .allMatch(i -> cells[i].equals(first[i])))
                .reduce((_, last) -> last)
                .orElseThrow(() -> new AssertionError("no such row in\n" + run));
    }

    @Test
    void learnsIntoWeirSurviveItsDeath() throws Exception {
        Run run = run("learn", "--only", "weir", "--clients", "8", "--warm-up", "0.1", "--seconds", "0.4",
                "--rounds", "1", "--checks", "200");
        assertThat(run.status()).as(run.toString()).isZero();
        String[] stored = row(run, "Weir", "8");
        assertThat(stored[2]).isNotEqualTo("0").isEqualTo(stored[5]);
        assertThat(stored[6]).isEqualTo("0");
    }

    @Test
    void sqliteAndStoreAreComparedAndKeepEverything() throws Exception {
        Run run = run("store", "--places", "sqlite,store", "--hashes", "1500", "--compared", "1400", "--passes", "2",
                "--clients", "8", "--checks", "200", "--quiet", "0.2", "--kill-after", "0.3");
        assertThat(run.status()).as(run.toString()).isZero();
        assertThat(run.out()).contains("Hashes with 32 shingles, each learned 2 times by 8 clients")
                .contains("Weir, SQLite: the warm-up ended after ", "Weir, store: the warm-up ended after ");
        assertThat(row(run, "different hashes")).endsWith("1,400", "1,500", "");
        for (int place = 1; place <= 2; place++) {
            assertThat(row(run, "acknowledged hashes missing after SIGKILL")[place]).isEqualTo("0");
            assertThat(row(run, "refused or unanswered updates")[place]).isEqualTo("0");
            assertThat(row(run, "updates before SIGKILL")[place]).isNotEqualTo("0");
            long disk = bytes(row(run, "disk space for each hash, stopped")[place]);
            assertThat(disk - bytes(row(run, "of these, the update log with its history")[place])).isGreaterThan(336);
            assertThat(bytes(row(run, "bytes written for each new hash")[place])).isGreaterThan(336);
        }
    }

    @Test
    void rspamdIsMeasuredBesideTheStore() throws Exception {
        Installed.require("rspamd", "rspamd");
        Run run = run("store", "--places", "rspamd", "--hashes", "1300", "--passes", "1", "--clients", "4", "--plain",
                "--checks", "100", "--quiet", "0.2", "--kill-after", "0.3", "--sync", "0.2");
        assertThat(run.status()).as(run.toString()).isZero();
        assertThat(row(run, "", "Rspamd, SQLite")).isNotNull();
        assertThat(row(run, "different hashes")[1]).isEqualTo("1,300");
        assertThat(bytes(row(run, "bytes written for each new hash")[1])).isPositive();
        assertThat(bytes(row(run, "disk space for each hash, stopped")[1])).isGreaterThan(64);
    }

    private static long bytes(String cell) {
        return Long.parseLong(cell.replace(",", ""));
    }

    @Test
    void hostileTrafficDisturbsNobody() throws Exception {
        Run run = run("hostile", "--datagrams", "3000", "--rate", "3000", "--frames", "1000", "--half-open", "50",
                "--checks", "100", "--longest", "5000");
        assertThat(run.status()).as(run.toString()).isZero();
        assertThat(row(run, "datagrams")[1]).isEqualTo("3,000");
        assertThat(row(run, "frames")[1]).isEqualTo("1,000");
        assertThat(run.out()).contains("since the start: ").contains("dropped: unknown version");
    }

    @Test
    void aKilledLeaderAndItsStandbyLoseNothing() throws Exception {
        Run run = run("standby", "--parts", "kill", "--rate", "1000", "--seconds", "1.5");
        assertThat(run.status()).as(run.toString()).isZero();
        assertThat(row(run, "until the leader is killed")[2]).isNotEqualTo("0");
        assertThat(run.out()).contains("missing or wrong: none");
    }

    @Test
    void aFollowerCopiesAndAnswersAsAStorageAlone() throws Exception {
        Run run = run("standby", "--parts", "copy,checks", "--hashes", "3000", "--checked", "500", "--learns", "100",
                "--rounds", "1", "--measured", "0.3");
        assertThat(run.status()).as(run.toString()).isZero();
        assertThat(run.out()).containsPattern("copy of [3-9],\\d{3} hashes");
        assertThat(row(run, "during the copy")[2]).isNotEqualTo("0");
        for (String storage : new String[]{"a storage alone", "a follower, without learns",
            "a follower, beside learns at its leader"}) {
            assertThat(row(run, storage)[1]).isNotEqualTo("0");
        }
    }

    @Test
    void nodesAndRspamdAreAskedWithOneRedis() throws Exception {
        Installed.require("rspamd", "rspamd");
        Installed.require("redis-server", "redis-server");
        Run run = run("node-checks", "--hashes", "300", "--rounds", "1", "--seconds", "0.3");
        assertThat(run.status()).as(run.toString()).isZero();
        for (String asked : new String[]{"one node of Weir", "three nodes of Weir at once", "Rspamd"}) {
            assertThat(row(run, asked)[1]).isNotEqualTo("0");
        }
    }

    @Test
    void aDeadStorageCostsMailsNoAnswer() throws Exception {
        // How long it takes says nothing here: the machine compiles and tests.
        Run run = run("dead-server", "--rate", "20", "--warm-up", "1", "--seconds", "2", "--tolerated", "60000");
        assertThat(run.status()).as(run.toString()).isZero();
        for (String storages : new String[]{"all three alive", "one killed", "one stopped"}) {
            assertThat(row(run, storages)[7]).isEqualTo("60");
            assertThat(row(run, storages)[8]).isEqualTo("0");
        }
    }

    @Test
    void aBurstIntoWeirIsStoredThoughItsDatabaseIsLocked() throws Exception {
        Run run = run("burst", "--only", "weir", "--learns", "400", "--window", "32", "--away", "0.5",
                "--timeout", "10");
        assertThat(run.status()).as(run.toString()).isZero();
        for (String backend : new String[]{"works", "away for 500 ms"}) {
            String[] row = row(run, "Weir", backend);
            assertThat(row[2]).isEqualTo("400");
            assertThat(row[3]).isEqualTo("400").isEqualTo(row[9]);
        }
    }

    @Test
    void aBurstIntoRspamdIsCountedInItsBackends() throws Exception {
        Installed.require("rspamd", "rspamd");
        Installed.require("redis-server", "redis-server");
        Run run = run("burst", "--only", "rspamd_sqlite,rspamd_redis", "--learns", "200", "--window", "16",
                "--away", "0.2", "--sync", "0.2");
        assertThat(run.status()).as(run.toString()).isZero();
        for (String name : new String[]{"Rspamd, sqlite", "Rspamd, redis"}) {
            String[] row = row(run, name, "works");
            assertThat(row[3]).isEqualTo("200");
            assertThat(row[9]).as(run.toString()).isEqualTo("200");
        }
    }

    /** Runs one of the measurements of speed, which leave prepared data and results behind. */
    private Run speed(String... words) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = Main.run(new PrintWriter(out), new PrintWriter(err),
                Stream.concat(Stream.of(words),
                        Stream.of("--dir", scratch.toString(), "--warm-up", "0.1", "--seconds", "0.2", "--outstanding",
                                "32"))
                        .toArray(String[]::new));
        return new Run(status, out.toString(), err.toString());
    }

    @Test
    void theWireIsComparedAndDrawn() throws Exception {
        boolean rspamd = Subject.RSPAMD_SQLITE.missing().isEmpty();
        Run wire = speed("wire", "--hashes", "500", "--rounds", "1", "--cases", "miss,fuzzy20+box",
                "--echo-source",
                Path.of("src", "main", "c", "echo.c").toString());
        assertThat(wire.status()).as(wire.toString()).isZero();
        assertThat(row(wire, "echo, Java", "-")[2]).isNotEqualTo("0");
        for (String server : rspamd ? new String[]{"Weir", "Rspamd, sqlite"} : new String[]{"Weir"}) {
            for (String load : new String[]{"miss", "fuzzy20+box"}) {
                String[] row = row(wire, server, load);
                assertThat(row[2]).isNotEqualTo("0");
                assertThat(row[4]).as("wrong answers of " + server + "\n" + wire).isEqualTo("0");
            }
        }
        Path picture = scratch.resolve("picture.svg");
        Run drawn = speed("picture", picture.toString());
        assertThat(drawn.status()).as(drawn.toString()).isZero();
        assertThat(Files.readString(picture)).startsWith("<svg").contains("Weir, miss", "echo, Java")
                .endsWith("</svg>\n");
    }

    @Test
    void latencyMemoryStartKeysAndCores() {
        Run latency = speed("latency", "--hashes", "500", "--rounds", "1", "--learns", "200");
        assertThat(latency.status()).as(latency.toString()).isZero();
        assertThat(latency.out()).contains("p99.9 with learns by p99.9 without");
        assertThat(row(speed("memory", "--hashes", "500"), "500", "32")).hasSizeGreaterThan(3);
        assertThat(row(speed("start", "--hashes", "500", "--rounds", "1"), "500")[1]).endsWith("s");
        Run keys = speed("keys", "--hashes", "500", "--rate", "200", "--flood", "0,100");
        assertThat(row(keys, "100")[5]).as("wrong answers\n" + keys).isEqualTo("0");
        assertThat(row(speed("cores", "--hashes", "500", "--workers", "1", "--cases", "miss"), "1", "miss")[3])
                .isEqualTo("1.00");
    }

    @Test
    void aTableIsMarkdown() {
        assertThat(new Table("a", "b").row("c", Table.number(12_345)).row("d", Table.time(1_500_000)).toString())
                .isEqualTo("""
                        | a |       b |
                        |---|--:|
                        | c |  12,345 |
                        | d | 1.50 ms |
                        """);
    }
}
