package dev.weir.interop;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import dev.weir.testkit.WeirProgram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/** A storage that may open no more files, and then may again. */
@Timeout(300)
class OutOfFilesTest {
    /** Less than the files that a storage has open, so that it can open none. */
    private static final int TOO_FEW = 10;
    private static final int ENOUGH = 4_096;

    /**
     * With so many hashes, the shingles of two more are on so many pages that SQLite needs a temporary file, from which
     * it could undo one statement.
     */
    private static final int HASHES = 2_000;
    private static final int MORE = 200;

    @TempDir
    Path scratch;

    /** Learns hashes with shingles. Another seed makes others. */
    private void learn(WeirStorage storage, int hashes, int seed) throws Exception {
        Weir.run(scratch, "bench", "--preload", "--hashes", String.valueOf(hashes), "--seed", String.valueOf(seed),
                "--duration", "1", storage.address()).succeeded();
    }

    private static long inMirror(Path data) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + data.resolve("fuzzy.db"));
                Statement statement = connection.createStatement();
                ResultSet count = statement.executeQuery("SELECT count(*) FROM digests")) {
            return count.getLong(1);
        }
    }

    private static void awaitLog(WeirStorage storage, String line) {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(storage.log()).contains(line));
    }

    /** SQLite itself fails here: its statement stays unusable, so that only a new connection helps. */
    @Test
    void theMirrorGoesOnWithoutARestart() throws Exception {
        Programs.require("prlimit");
        assumeThat(WeirProgram.isOfJars()).as("Java opens a file for each class that it loads from a folder").isTrue();
        Path data = scratch.resolve("data");
        try (WeirStorage storage = WeirStorage.start(data, "--sync", "1s")) {
            learn(storage, HASHES, 1);
            // The mirror has read the newest file of the log then, so it needs no other one for the next updates.
            Weir.run(scratch, "control", "--data", data.toString(), "fuzzysync").succeeded();

            storage.limitFiles(TOO_FEW);
            learn(storage, MORE, 2);
            awaitLog(storage, "cannot write to " + data.resolve("fuzzy.db") + ": this process can open no more files");
            assertThat(storage.log()).doesNotContain("can be written again");

            storage.limitFiles(ENOUGH);
            awaitLog(storage, "can be written again");
            Weir.run(scratch, "control", "--data", data.toString(), "fuzzysync").succeeded();
            assertThat(inMirror(data)).isEqualTo(HASHES + MORE);
            assertThat(Weir.run(scratch, "control", "--data", data.toString(), "status").succeeded().out())
                    .contains("mirror: running, lacks 0 updates", "healthy");
            assertThat(Weir.run(scratch, "verify", "--data", data.toString()).succeeded().out())
                    .contains("has the same hashes");
        }
    }
}
