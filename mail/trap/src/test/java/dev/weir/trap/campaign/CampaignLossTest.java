package dev.weir.trap.campaign;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

public final class CampaignLossTest {
    private static final String FOLDER = "/var/mail/trap";

    @TempDir
    private Path scratch;

    /** Damages a page in the middle of a file. */
    public static void damage(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2 & ~0xfff] ^= 0x40;
        Files.write(file, bytes);
    }

    private Path damaged() throws Exception {
        Path file = scratch.resolve("traps.db");
        try (CampaignDatabase store = CampaignDatabase.open(file)) {
            store.read(FOLDER, "1");
        }
        damage(file);
        return file;
    }

    private boolean isUnknown(Path file) throws Exception {
        try (CampaignDatabase store = CampaignDatabase.open(file)) {
            return store.isUnknown(FOLDER, Instant.now());
        }
    }

    private List<String> names(String folder) throws IOException {
        try (Stream<Path> files = Files.list(scratch.resolve(folder))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /** SQLite takes it for a new database, and then the mails in the folders would be learned again. */
    @Test
    void anEmptyFileIsDamaged() throws Exception {
        Path file = damaged();
        Files.write(file, new byte[0]);
        try (CampaignDatabase store = CampaignDatabase.open(file)) {
            assertThat(store.damage().orElseThrow()).contains("it has no content", "kept-aside");
            assertThat(store.isUnknown(FOLDER, Instant.now())).isTrue();
        }
    }

    /** A start that moved the file and then failed, on a full disk for example, left no file or an empty one. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReplacementThatFailedIsRemembered(boolean created) throws Exception {
        Path file = damaged();
        assertThat(CampaignLoss.find(file)).isPresent();
        if (created) {
            Files.createFile(file);
        }
        try (CampaignDatabase store = CampaignDatabase.open(file)) {
            assertThat(store.damage().orElseThrow()).contains("an earlier start did not replace it", "kept-aside");
            assertThat(store.isUnknown(FOLDER, Instant.now())).isTrue();
        }
        assertThat(names("")).containsExactly("kept-aside", "traps.db");
        assertThat(names("kept-aside")).hasSize(1);
        try (CampaignDatabase store = CampaignDatabase.open(file)) {
            assertThat(store.damage()).isEmpty();
            assertThat(store.isUnknown(FOLDER, Instant.now())).isTrue();
            store.found(FOLDER);
            assertThat(store.isUnknown(FOLDER, Instant.now())).isFalse();
        }
    }

    /** The day in which folders count as read begins when there is a file that says so. */
    @Test
    void aReplacementThatFailedDaysAgoIsRemembered() throws Exception {
        Path file = damaged();
        assertThat(CampaignLoss.find(file)).isPresent();
        Files.writeString(scratch.resolve("traps.db.lost"), "1000");
        assertThat(isUnknown(file)).isTrue();
    }

    /** A kill between the move of the file and that of its journal leaves a journal without a file. */
    @Test
    void whatIsLeftOfAFileFollowsIt() throws Exception {
        Path file = damaged();
        CampaignLoss loss = CampaignLoss.find(file).orElseThrow();
        Files.writeString(scratch.resolve("traps.db-wal"), "journal");
        assertThat(isUnknown(file)).isTrue();
        assertThat(names("kept-aside")).containsExactly("traps.db." + loss.millis(),
                "traps.db." + loss.millis() + "-wal");
    }

    @Test
    void aMarkThatACrashLeftBehindEndsWithTheNextStart() throws Exception {
        Path file = damaged();
        assertThat(CampaignLoss.find(file)).isPresent();
        Path mark = scratch.resolve("traps.db.lost");
        assertThat(isUnknown(file)).isTrue();
        assertThat(mark).doesNotExist();
        try (CampaignDatabase store = CampaignDatabase.open(file)) {
            store.found(FOLDER);
        }
        Files.writeString(mark, Long.toString(noted(file)));
        assertThat(isUnknown(file)).isFalse();
        assertThat(mark).doesNotExist();
    }

    private static long noted(Path file) throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT millis FROM loss")) {
            return rows.getLong(1);
        }
    }

    /** A copy that an operator puts in place keeps its campaigns, but what was learned since is unknown. */
    @Test
    void aRestoredFileAfterALossKeepsItsCampaigns() throws Exception {
        Path file = scratch.resolve("traps.db");
        try (CampaignDatabase store = CampaignDatabase.open(file)) {
            store.read(FOLDER, "1");
        }
        Path copy = Files.copy(file, scratch.resolve("backup"));
        damage(file);
        assertThat(CampaignLoss.find(file)).isPresent();
        Files.move(copy, file);
        try (CampaignDatabase store = CampaignDatabase.open(file)) {
            assertThat(store.wasRead(FOLDER, "1")).isTrue();
            assertThat(store.isUnknown(FOLDER, Instant.now())).isTrue();
        }
    }
}
