package dev.weir.storage.database.sqlite;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import dev.weir.storage.StorageException;

/**
 * The tables: Rspamd's, with its names, columns, indexes and {@code user_version}
 * (docs/reference/storage.md#sqlite-schema, docs/reference/storage.md#sqlite-settings), and Weir's.
 *
 * <p>A new file keeps {@code user_version} 0. A file that is opened again with a version below 1 gets the missing
 * objects and version 1. A higher version is newer than this release.
 */
final class Schema {
    private static final int RSPAMD_VERSION = 1;
    private static final int OUR_VERSION = 2;

    private static final Map<String, Set<String>> RSPAMD_TABLES = Map.of("digests",
            Set.of("id", "flag", "digest", "value", "time"), "shingles", Set.of("value", "number", "digest_id"),
            "sources", Set.of("name", "version", "last"));

    /** The tables of every file that a storage has opened before. */
    static final Set<String> TABLES = Set.of("digests", "shingles", "sources", "weir_state", "weir_flags",
            "weir_signatures", "weir_renewals", "weir_audit");

    /** The name of the state that says up to which change of the table of sources the content is known. */
    static final String SEEN_SOURCES = "sources";

    /** The name of the state with the running checksum of the update log; its row is missing if that is not known. */
    static final String HISTORY = "history";

    /** The number of changes that Rspamd and Weir have counted (docs/reference/storage.md#source-revisions). */
    static final String SUM_OF_SOURCES = "SELECT coalesce(sum(version), 0) AS now FROM sources";

    private Schema() {}

    /**
     * Creates the tables of a new file, or checks and completes those of an old one. Runs in the caller's transaction.
     */
    static void prepare(Connection connection, Path file) throws SQLException, StorageException {
        try (Statement statement = connection.createStatement()) {
            Set<String> tables = tables(statement);
            boolean isNew = tables.isEmpty();
            if (!isNew) {
                check(statement, file, tables);
            }
            if (!isNew && !ShingleIndex.exists(statement)) {
                // The index is missing if an import of an earlier version was interrupted, or a tool dropped it.
                ShingleIndex.restore(connection);
            }
            makeRspamdTables(statement);
            if (!isNew && number(statement, "PRAGMA user_version") < RSPAMD_VERSION) {
                statement.execute("PRAGMA user_version = " + RSPAMD_VERSION);
            }
            makeWeirTables(statement);
        }
    }

    /** Creates Weir's tables where they are missing. */
    static void makeWeirTables(Statement statement) throws SQLException {
        run(statement, "weir.sql");
        // Version 1 had no update log. A release that knows only version 1 would not see the updates that are still in
        // the log. Nothing is written if nothing changes, so that a file on a full disk can be opened.
        if (number(statement, "SELECT value FROM weir_state WHERE name = 'schema'") < OUR_VERSION) {
            statement.execute("INSERT OR REPLACE INTO weir_state(name, value) VALUES ('schema', " + OUR_VERSION + ")");
        }
        statement.execute("INSERT OR IGNORE INTO weir_state(name, value) VALUES ('storage', random())");
        statement.execute("INSERT OR IGNORE INTO weir_state(name, value) VALUES ('revision', 0)");
    }

    private static void check(Statement statement, Path file, Set<String> tables)
            throws SQLException, StorageException {
        if (!tables.contains("digests") || !tables.contains("shingles")) {
            throw new StorageException(file + " is a database of another program: it has no tables named digests and "
                    + "shingles; name another folder");
        }
        long version = number(statement, "PRAGMA user_version");
        if (version > RSPAMD_VERSION) {
            throw new StorageException(file + " has user_version " + version + ", made by a newer Rspamd than this "
                    + "program knows (" + RSPAMD_VERSION + "); use a newer weir");
        }
        for (Map.Entry<String, Set<String>> table : RSPAMD_TABLES.entrySet()) {
            if (tables.contains(table.getKey())) {
                Set<String> columns = names(statement,
                        "SELECT name FROM pragma_table_info('" + table.getKey() + "')");
                if (!columns.equals(table.getValue())) {
                    throw new StorageException(file + " has a table " + table.getKey() + " with the columns "
                            + columns.stream().sorted().toList() + " instead of "
                            + table.getValue().stream().sorted().toList() + "; it was not made by Rspamd or weir");
                }
            }
        }
        if (tables.contains("weir_state")) {
            long ours = number(statement, "SELECT coalesce(max(value), 0) FROM weir_state WHERE name = 'schema'");
            if (ours > OUR_VERSION) {
                throw new StorageException(
                        file + " was written by a newer weir (tables of version " + ours + "); use that one");
            }
        }
    }

    static void makeRspamdTables(Statement statement) throws SQLException {
        run(statement, "rspamd.sql");
    }

    /** Creates Rspamd's tables in an empty file. {@link #makeRspamdTables} adds the indexes, after the rows. */
    static void makeRspamdTablesWithoutIndexes(Statement statement) throws SQLException {
        run(statement, "rspamd.sql", command -> command.startsWith("CREATE TABLE"));
    }

    static Set<String> tables(Statement statement) throws SQLException {
        return names(statement, "SELECT name FROM sqlite_schema WHERE type = 'table'");
    }

    private static Set<String> names(Statement statement, String query) throws SQLException {
        Set<String> names = new HashSet<>();
        try (ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                names.add(rows.getString(1));
            }
        }
        return names;
    }

    static long number(Statement statement, String query) throws SQLException {
        try (ResultSet rows = statement.executeQuery(query)) {
            return rows.next() ? rows.getLong(1) : 0;
        }
    }

    private static void run(Statement statement, String resource) throws SQLException {
        run(statement, resource, _ -> true);
    }

    private static void run(Statement statement, String resource, Predicate<String> wanted) throws SQLException {
        for (String command : List.of(read(resource).split(";\n", -1))) {
            if (!command.isBlank() && wanted.test(command)) {
                statement.execute(command);
            }
        }
    }

    private static String read(String resource) {
        try (InputStream in = Schema.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("missing resource " + resource);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
