package dev.weir.bench;

import java.nio.file.Path;

import dev.weir.bench.report.Table;
import dev.weir.testkit.Installed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The programs that learn, with small numbers, against the real servers. */
class ProgramsTest {
    @TempDir
    Path scratch;

    @Test
    void learnsIntoWeirSurviveItsDeath() throws Exception {
        ProgramRun run = ProgramRun.of(scratch, "learn", "--only", "weir", "--clients", "8", "--warm-up", "0.1",
                "--seconds", "0.4", "--rounds", "1", "--checks", "200");
        assertThat(run.status()).as(run.toString()).isZero();
        String[] stored = run.row("Weir", "8");
        assertThat(stored[2]).isNotEqualTo("0").isEqualTo(stored[5]);
        assertThat(stored[6]).isEqualTo("0");
    }

    @Test
    void sqliteAndStoreAreComparedAndKeepEverything() throws Exception {
        ProgramRun run = ProgramRun.of(scratch, "store", "--places", "sqlite,store", "--hashes", "1500", "--compared",
                "1400", "--passes", "2", "--clients", "8", "--checks", "200", "--quiet", "0.2", "--kill-after", "4");
        assertThat(run.status()).as(run.toString()).isZero();
        assertThat(run.out()).contains("Hashes with 32 shingles, each learned 2 times by 8 clients")
                .contains("Weir, SQLite: the warm-up ended after ", "Weir, store: the warm-up ended after ");
        assertThat(run.row("different hashes")).endsWith("1,400", "1,500", "");
        for (int place = 1; place <= 2; place++) {
            assertThat(run.row("acknowledged hashes missing after SIGKILL")[place]).isEqualTo("0");
            assertThat(run.row("refused or unanswered updates")[place]).isEqualTo("0");
            assertThat(run.row("updates before SIGKILL")[place]).isNotEqualTo("0");
            long disk = bytes(run.row("disk space for each hash, stopped")[place]);
            assertThat(disk - bytes(run.row("of these, the update log with its history")[place])).isGreaterThan(336);
            assertThat(bytes(run.row("bytes written for each new hash")[place])).isGreaterThan(336);
        }
    }

    @Test
    void rspamdIsMeasuredBesideTheStore() throws Exception {
        Installed.require("rspamd", "rspamd");
        ProgramRun run = ProgramRun.of(scratch, "store", "--places", "rspamd", "--hashes", "1300", "--passes", "1",
                "--clients", "4", "--plain", "--checks", "100", "--quiet", "0.2", "--kill-after", "0.3", "--sync",
                "0.2");
        assertThat(run.status()).as(run.toString()).isZero();
        assertThat(run.row("", "Rspamd, SQLite")).isNotNull();
        assertThat(run.row("different hashes")[1]).isEqualTo("1,300");
        assertThat(bytes(run.row("bytes written for each new hash")[1])).isPositive();
        assertThat(bytes(run.row("disk space for each hash, stopped")[1])).isGreaterThan(64);
    }

    @Test
    void aBurstIntoWeirIsStoredThoughItsDatabaseIsLocked() throws Exception {
        ProgramRun run = ProgramRun.of(scratch, "burst", "--only", "weir", "--learns", "400", "--window", "32",
                "--away", "0.5", "--timeout", "10");
        assertThat(run.status()).as(run.toString()).isZero();
        for (String backend : new String[]{"works", "away for 500 ms"}) {
            String[] row = run.row("Weir", backend);
            assertThat(row[2]).isEqualTo("400");
            assertThat(row[3]).isEqualTo("400").isEqualTo(row[9]);
        }
    }

    @Test
    void aBurstIntoRspamdIsCountedInItsBackends() throws Exception {
        Installed.require("rspamd", "rspamd");
        Installed.require("redis-server", "redis-server");
        ProgramRun run = ProgramRun.of(scratch, "burst", "--only", "rspamd_sqlite,rspamd_redis", "--learns", "200",
                "--window", "16", "--away", "0.2", "--sync", "0.2");
        assertThat(run.status()).as(run.toString()).isZero();
        for (String name : new String[]{"Rspamd, sqlite", "Rspamd, redis"}) {
            String[] row = run.row(name, "works");
            assertThat(row[3]).isEqualTo("200");
            assertThat(row[9]).as(run.toString()).isEqualTo("200");
        }
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

    private static long bytes(String cell) {
        return Long.parseLong(cell.replace(",", ""));
    }
}
