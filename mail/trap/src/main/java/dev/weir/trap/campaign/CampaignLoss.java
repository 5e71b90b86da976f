package dev.weir.trap.campaign;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import dev.weir.os.FolderSync;
import dev.weir.os.OwnerOnly;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * The replacement of a damaged file of campaigns. A mark beside the file tells of the loss from before the damaged file
 * is moved until the file in its place tells of it. A replacement that fails, on a full disk for example, thus leaves
 * the loss known to the next start.
 *
 * @param millis when a start wanted to replace the file, which names this loss
 * @param sentence what happened
 */
record CampaignLoss(long millis, String sentence) {
    /** What a file has that tells of a loss: when, and the folders that were looked into since. */
    private static final String SCHEMA = """
            CREATE TABLE IF NOT EXISTS loss(millis INTEGER NOT NULL);
            CREATE TABLE IF NOT EXISTS seen(folder TEXT PRIMARY KEY) WITHOUT ROWID;
            DELETE FROM seen;
            """;
    private static final String MARK = ".lost";
    private static final String ASIDE = "kept-aside";
    private static final String SOUND = "ok";
    private static final List<String> SUFFIXES = List.of("", "-wal", "-shm", "-journal");
    private static final String CONSEQUENCE = ". The traps begin without campaigns, and the mails that are in their "
            + "folders now count as read";
    private static final Logger LOG = LoggerFactory.getLogger(CampaignLoss.class);

    /**
     * Moves a damaged file aside, or what is left of one that an earlier start did not replace.
     *
     * @return the loss of which the file in its place must tell; empty if there is none
     */
    static Optional<CampaignLoss> find(Path file) throws IOException, SQLException {
        Optional<String> why = Files.exists(file) ? damage(file) : Optional.empty();
        if (why.isEmpty() && isEmpty(file) && !Files.exists(mark(file))) {
            // To SQLite it is sound. A full disk, or a copy that was cut, can have emptied it.
            why = Optional.of("it has no content");
        }
        if (why.isPresent()) {
            long millis = Instant.now().toEpochMilli();
            mark(file, millis);
            Path kept = setAside(file, millis);
            return Optional.of(new CampaignLoss(millis, file + " is not used: it is damaged (" + why.get()
                    + "); it is kept as " + kept + CONSEQUENCE).logged());
        }
        Path mark = mark(file);
        if (!Files.exists(mark)) {
            return Optional.empty();
        }
        long found = millis(mark);
        if (!Files.exists(file)) {
            setAside(file, found);
        } else if (tellsOf(file, found)) {
            Files.delete(mark);
            return Optional.empty();
        }
        long millis = Instant.now().toEpochMilli();
        mark(file, millis);
        return Optional.of(new CampaignLoss(millis, file + " was damaged, and an earlier start did not replace it; it "
                + "is kept in " + aside(file) + CONSEQUENCE).logged());
    }

    private static boolean isEmpty(Path file) throws IOException {
        return Files.exists(file) && Files.size(file) == 0;
    }

    private CampaignLoss logged() {
        LOG.error("{}", sentence);
        return this;
    }

    /** Lets a file tell of the loss. The caller commits. */
    void write(Statement statement) throws SQLException {
        statement.executeUpdate(SCHEMA);
        statement.executeUpdate("INSERT INTO loss VALUES(" + millis + ")");
    }

    /** Removes the mark. The file tells of the loss now. */
    static void written(Path file) throws IOException {
        Files.deleteIfExists(mark(file));
    }

    private static Path mark(Path file) {
        return file.resolveSibling(file.getFileName() + MARK);
    }

    private static Path aside(Path file) {
        return file.toAbsolutePath().resolveSibling(ASIDE);
    }

    private static void mark(Path file, long millis) throws IOException {
        try (FileChannel channel = OwnerOnly.open(mark(file), StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING)) {
            channel.write(StandardCharsets.US_ASCII.encode(Long.toString(millis)));
            channel.force(true);
        }
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            FolderSync.force(folder);
        }
    }

    /** Returns the time in a mark. One that a crash left without content tells of a loss, too. */
    private static long millis(Path mark) throws IOException {
        try {
            return Long.parseLong(Files.readString(mark, StandardCharsets.ISO_8859_1));
        } catch (NumberFormatException e) {
            return Instant.now().toEpochMilli();
        }
    }

    /** Returns why a file cannot be used; empty if it is sound. */
    private static Optional<String> damage(Path file) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file.toAbsolutePath());
                Statement statement = connection.createStatement();
                ResultSet lines = statement.executeQuery("PRAGMA integrity_check(1)")) {
            String line = lines.next() ? lines.getString(1) : SOUND;
            return SOUND.equals(line) ? Optional.empty() : Optional.of(line.replaceAll("\\s+", " ").strip());
        } catch (SQLiteException e) {
            int code = e.getResultCode().code & 0xff;
            if (code == SQLiteErrorCode.SQLITE_CORRUPT.code || code == SQLiteErrorCode.SQLITE_NOTADB.code) {
                return Optional.of(String.valueOf(e.getMessage()));
            }
            throw e;
        }
    }

    /** Returns whether a sound file tells of a loss. */
    private static boolean tellsOf(Path file, long millis) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file.toAbsolutePath());
                Statement statement = connection.createStatement()) {
            return exists(statement, "SELECT 1 FROM sqlite_master WHERE name = 'loss'")
                    && exists(statement, "SELECT 1 FROM loss WHERE millis = " + millis);
        }
    }

    private static boolean exists(Statement statement, String query) throws SQLException {
        try (ResultSet rows = statement.executeQuery(query)) {
            return rows.next();
        }
    }

    private static Path setAside(Path file, long millis) throws IOException {
        Path aside = aside(file);
        OwnerOnly.createFolders(aside);
        Path kept = aside.resolve(file.getFileName() + "." + millis);
        for (String suffix : SUFFIXES) {
            Path part = file.resolveSibling(file.getFileName() + suffix);
            if (Files.exists(part)) {
                Files.move(part, kept.resolveSibling(kept.getFileName() + suffix), StandardCopyOption.ATOMIC_MOVE);
            }
        }
        return kept;
    }
}
