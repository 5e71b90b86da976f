package dev.weir.storage.backend.sqlite;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

import dev.weir.storage.StorageException;
import org.sqlite.JDBC;
import org.sqlite.SQLiteConfig;

/**
 * Looks at a database, which a storage may be using, through a connection of its own that cannot write. What it says is
 * of one moment.
 */
public final class SqliteInspection implements AutoCloseable {
    /** Lines of SQLite's own check that are passed on; a ruined file would give one for each page. */
    private static final int MAX_LINES = 20;

    private static final String IS_ODD = "typeof(digest) <> 'text' OR length(CAST(digest AS BLOB)) <> 64";

    private static final int BUSY_TIMEOUT = 10_000;

    private final Path file;
    private final Connection connection;
    private final boolean hasState;

    private SqliteInspection(Path file, Connection connection, boolean hasState) {
        this.file = file;
        this.connection = connection;
        this.hasState = hasState;
    }

    /**
     * Opens a database and keeps to what it holds now.
     *
     * @throws StorageException if it cannot be read at all
     */
    public static SqliteInspection open(Path file) throws StorageException {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        Connection connection = null;
        try {
            connection = JDBC.createConnection("jdbc:sqlite:" + file.toAbsolutePath(), config.toProperties());
            boolean state;
            try (Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA busy_timeout = " + BUSY_TIMEOUT);
                statement.execute("BEGIN");
                state = Schema.number(statement,
                        "SELECT count(*) FROM sqlite_schema WHERE name = 'weir_state'") > 0;
            }
            SqliteInspection inspection = new SqliteInspection(file, connection, state);
            connection = null;
            return inspection;
        } catch (SQLException e) {
            throw Failures.of(file, "read", e);
        } finally {
            if (connection != null) {
                try {
                    connection.close();
                } catch (SQLException ignored) {
                    // The reason why it could not be read is on its way.
                    connection = null;
                }
            }
        }
    }

    /** Whether a weir has ever opened it: one that only Rspamd used has no revision. */
    public boolean hasState() {
        return hasState;
    }

    /** The last revision that it has; 0 without any. */
    public long revision() throws StorageException {
        return hasState ? number("SELECT value FROM weir_state WHERE name = 'revision'") : 0;
    }

    /** The number of the storage; 0 without any. */
    public long storageId() throws StorageException {
        return hasState ? number("SELECT value FROM weir_state WHERE name = 'storage'") : 0;
    }

    /** Number of digests of the usual length; others are left alone. */
    public long count() throws StorageException {
        return number("SELECT count(*) FROM digests WHERE NOT (" + IS_ODD + ")");
    }

    /** What is damaged: pages, and indexes that disagree with tables; empty for a sound file. */
    public List<String> damages() {
        List<String> findings = new ArrayList<>();
        try (Statement statement = connection.createStatement()) {
            try (ResultSet lines = statement.executeQuery("PRAGMA integrity_check(" + MAX_LINES + ")")) {
                while (lines.next()) {
                    String line = lines.getString(1);
                    if (!"ok".equals(line)) {
                        findings.add(file.getFileName() + ": " + line);
                    }
                }
            }
        } catch (SQLException e) {
            findings.add(String.valueOf(Failures.of(file, "read", e).getMessage()));
        }
        return findings;
    }

    /** Rows that belong to nothing. They do no harm and take room. */
    public List<String> leftovers() {
        List<String> findings = new ArrayList<>();
        try (Statement statement = connection.createStatement()) {
            orphans(statement, "shingles", "shingles without a digest", findings);
            if (hasState) {
                orphans(statement, "weir_flags", "flags without a digest", findings);
                orphans(statement, "weir_signatures", "signatures without a digest", findings);
                orphans(statement, "weir_renewals", "renewals without a digest", findings);
            }
            add(statement, "SELECT count(*) FROM digests WHERE " + IS_ODD, "rows whose digest is not 64 bytes of text",
                    findings);
        } catch (SQLException e) {
            findings.add(String.valueOf(Failures.of(file, "read", e).getMessage()));
        }
        return findings;
    }

    private void orphans(Statement statement, String table, String what, List<String> findings) throws SQLException {
        add(statement, "SELECT count(*) FROM " + table
                + " t WHERE NOT EXISTS (SELECT 1 FROM digests d WHERE d.id = t.digest_id)", what, findings);
    }

    private void add(Statement statement, String count, String what, List<String> findings) throws SQLException {
        long number = Schema.number(statement, count);
        if (number > 0) {
            findings.add(file.getFileName() + ": " + number + " " + what);
        }
    }

    /**
     * Writes a copy of what it holds, compacted.
     *
     * @throws StorageException if the copy cannot be written
     */
    public void copyTo(Path target) throws StorageException {
        try (Statement statement = connection.createStatement()) {
            // VACUUM has its own transaction, as consistent as this one and perhaps a little younger.
            statement.execute("COMMIT");
            statement.execute("VACUUM INTO '" + target.toAbsolutePath().toString().replace("'", "''") + "'");
            statement.execute("BEGIN");
        } catch (SQLException e) {
            throw Failures.of(file, "copy", e);
        }
    }

    private long number(String query) throws StorageException {
        try (Statement statement = connection.createStatement()) {
            return Schema.number(statement, query);
        } catch (SQLException e) {
            throw Failures.of(file, "read", e);
        }
    }

    @Override
    public void close() throws StorageException {
        try {
            connection.close();
        } catch (SQLException e) {
            throw Failures.of(file, "close", e);
        }
    }
}
