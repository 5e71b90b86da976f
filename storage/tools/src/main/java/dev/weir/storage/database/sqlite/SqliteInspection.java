package dev.weir.storage.database.sqlite;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import dev.weir.model.Digest;
import dev.weir.storage.StorageException;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.view.AuditQuery;
import dev.weir.storage.view.StorageView;

/** A read-only view of a database that a storage may be using. All results are of one moment. */
public final class SqliteInspection implements StorageView {
    /**
     * The maximum number of lines of SQLite's own check that are reported. A ruined file would yield one for each page.
     */
    private static final int MAX_LINES = 20;

    /** Sources that are read at most. */
    private static final int MAX_SOURCES = 1_000;

    private static final String IS_ODD = "typeof(digest) <> 'text' OR length(CAST(digest AS BLOB)) <> 64";

    private static final int BUSY_TIMEOUT = 10_000;

    private final Path file;
    private final Connection connection;
    private final boolean hasState;

    /** False for a database that only earlier releases used. */
    private final boolean hasAudit;

    /** Whether there are no tables, as in a file without the write-ahead log that had them. */
    private final boolean isBlank;

    private SqliteInspection(Path file, Connection connection, Set<String> tables) {
        this.file = file;
        this.connection = connection;
        this.hasState = tables.contains("weir_state");
        this.hasAudit = tables.contains("weir_audit");
        this.isBlank = tables.isEmpty();
    }

    /**
     * Opens a database. All results are of this moment.
     *
     * @throws StorageException if it cannot be read at all
     */
    public static SqliteInspection open(Path file) throws StorageException {
        Connection connection = ReadOnly.open(file);
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = " + BUSY_TIMEOUT);
            return new SqliteInspection(file, connection, Schema.tables(statement));
        } catch (SQLException e) {
            SqliteErrors.closeAfter(connection);
            throw SqliteErrors.of(file, "read", e);
        } catch (Throwable e) {
            SqliteErrors.closeAfter(connection);
            throw e;
        }
    }

    /**
     * Returns the version of each source in the database, as the old replication of Rspamd counts them. The
     * source {@code local} is the storage that wrote the database. Empty without a database.
     *
     * @throws StorageException if the database cannot be read
     */
    public static Map<String, Long> sourceVersions(Path file) throws StorageException {
        Map<String, Long> versions = new HashMap<>();
        if (!Files.exists(file)) {
            return versions;
        }
        try (SqliteInspection view = open(file); Statement statement = view.connection.createStatement()) {
            if (!Schema.tables(statement).contains("sources")) {
                return versions;
            }
            try (ResultSet rows = statement.executeQuery("SELECT name, version FROM sources LIMIT " + MAX_SOURCES)) {
                while (rows.next()) {
                    String name = rows.getString(1);
                    if (name != null) {
                        versions.put(name, rows.getLong(2));
                    }
                }
            }
            return versions;
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
    }

    @Override
    public boolean hasState() {
        return hasState;
    }

    @Override
    public long revision() throws StorageException {
        return hasState ? number("SELECT value FROM weir_state WHERE name = 'revision'") : 0;
    }

    @Override
    public long storageId() throws StorageException {
        return hasState ? number("SELECT value FROM weir_state WHERE name = 'storage'") : 0;
    }

    /**
     * Returns whether Rspamd has changed hashes since Weir last wrote to the file. Hashes that Rspamd removed because
     * of their age do not count.
     */
    public boolean isChangedByRspamd() throws StorageException {
        return hasState && number("SELECT count(*) FROM weir_state, (" + Schema.SUM_OF_SOURCES + ") WHERE name = '"
                + Schema.SEEN_SOURCES + "' AND value <> now") > 0;
    }

    /** Digests of another length do not count, because a storage ignores them. */
    @Override
    public long count() throws StorageException {
        return isBlank ? 0 : number("SELECT count(*) FROM digests WHERE NOT (" + IS_ODD + ")");
    }

    @Override
    public void audit(AuditQuery query, Consumer<LoggedUpdate> target) throws StorageException {
        try {
            if (hasAudit) {
                AuditSearch.all(connection, query, target);
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
    }

    @Override
    public void audit(long before, Set<Digest> digests, Consumer<LoggedUpdate> target) throws StorageException {
        try {
            if (hasAudit) {
                AuditSearch.of(connection, before, digests, target);
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
    }

    /** Returns damaged pages, and indexes that disagree with tables. */
    @Override
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
            findings.add(String.valueOf(SqliteErrors.of(file, "read", e).getMessage()));
        }
        return findings;
    }

    @Override
    public List<String> leftovers() {
        List<String> findings = new ArrayList<>();
        if (isBlank) {
            return findings;
        }
        try (Statement statement = connection.createStatement()) {
            orphans(statement, "shingles", "shingles without a digest", findings);
            if (hasState) {
                orphans(statement, "weir_flags", "flags without a digest", findings);
                orphans(statement, "weir_signatures", "signatures without a digest", findings);
                orphans(statement, "weir_renewals", "renewals without a digest", findings);
                if (hasAudit) {
                    orphans(statement, "weir_audit", "rows of the audit trail without a digest", findings);
                }
            }
            add(statement, "SELECT count(*) FROM digests WHERE " + IS_ODD, "rows whose digest is not 64 bytes of text",
                    findings);
        } catch (SQLException e) {
            findings.add(String.valueOf(SqliteErrors.of(file, "read", e).getMessage()));
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

    @Override
    public void copyTo(Path target) throws StorageException {
        try {
            ReadOnly.copy(connection, target);
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "copy", e);
        }
    }

    private long number(String query) throws StorageException {
        try (Statement statement = connection.createStatement()) {
            return Schema.number(statement, query);
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
    }

    @Override
    public void close() throws StorageException {
        try {
            connection.close();
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "close", e);
        }
    }
}
