package dev.weir.bench;

import java.nio.file.Path;

import dev.weir.testkit.Installed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The programs with several storages, and the one with hostile clients, with small numbers. */
class NodeProgramsTest {
    @TempDir
    Path scratch;

    @Test
    void hostileTrafficDisturbsNobody() throws Exception {
        ProgramRun run = ProgramRun.of(scratch, "hostile", "--datagrams", "3000", "--rate", "3000", "--frames", "1000",
                "--half-open", "50", "--checks", "100", "--longest", "5000");
        assertThat(run.status()).as(run.toString()).isZero();
        assertThat(run.row("datagrams")[1]).isEqualTo("3,000");
        assertThat(run.row("frames")[1]).isEqualTo("1,000");
        assertThat(run.out()).contains("since the start: ").contains("dropped: unknown version");
    }

    @Test
    void aKilledLeaderAndItsStandbyLoseNothing() throws Exception {
        ProgramRun run = ProgramRun.of(scratch, "standby", "--parts", "kill", "--rate", "1000", "--seconds", "1.5");
        assertThat(run.status()).as(run.toString()).isZero();
        assertThat(run.row("until the leader is killed")[2]).isNotEqualTo("0");
        assertThat(run.out()).contains("missing or wrong: none");
    }

    @Test
    void aFollowerCopiesAndAnswersAsAStorageAlone() throws Exception {
        ProgramRun run = ProgramRun.of(scratch, "standby", "--parts", "copy,checks", "--hashes", "3000", "--checked",
                "500", "--learns", "100", "--rounds", "1", "--measured", "0.3");
        assertThat(run.status()).as(run.toString()).isZero();
        assertThat(run.out()).containsPattern("copy of [3-9],\\d{3} hashes");
        assertThat(run.row("during the copy")[2]).isNotEqualTo("0");
        for (String storage : new String[]{"a storage alone", "a follower, without learns",
            "a follower, beside learns at its leader"}) {
            assertThat(run.row(storage)[1]).isNotEqualTo("0");
        }
    }

    @Test
    void nodesAndRspamdAreAskedWithOneRedis() throws Exception {
        Installed.require("rspamd", "rspamd");
        Installed.require("redis-server", "redis-server");
        ProgramRun run = ProgramRun.of(scratch, "node-checks", "--hashes", "300", "--rounds", "1", "--seconds", "0.3");
        assertThat(run.status()).as(run.toString()).isZero();
        for (String asked : new String[]{"one node of Weir", "three nodes of Weir at once", "Rspamd"}) {
            assertThat(run.row(asked)[1]).isNotEqualTo("0");
        }
    }

    @Test
    void aDeadStorageCostsMailsNoAnswer() throws Exception {
        // How long it takes says nothing here: the machine compiles and tests.
        ProgramRun run = ProgramRun.of(scratch, "dead-server", "--rate", "20", "--warm-up", "1", "--seconds", "2",
                "--tolerated", "60000");
        assertThat(run.status()).as(run.toString()).isZero();
        for (String storages : new String[]{"all three alive", "one killed", "one stopped"}) {
            assertThat(run.row(storages)[7]).isEqualTo("60");
            assertThat(run.row(storages)[8]).isEqualTo("0");
        }
    }
}
