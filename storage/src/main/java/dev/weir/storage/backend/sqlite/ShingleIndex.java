package dev.weir.storage.backend.sqlite;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The unique index on shingles, which Rspamd needs and which a large import does without until it is done: kept up row by
 * row it costs a random page for each of 32 rows a hash, built at the end it costs one sort.
 */
final class ShingleIndex {
    private ShingleIndex() {}

    static void drop(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("DROP INDEX IF EXISTS s");
        }
    }

    static boolean exists(Statement statement) throws SQLException {
        return Schema.number(statement,
                "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND name = 's' AND tbl_name = 'shingles'") > 0;
    }

    /**
     * Builds the index if it is not there.
     *
     * @param mayRepeat whether rows written without the index may hold a shingle twice; the later row then wins, as it
     *            does in Rspamd
     * @return how many rows lost to a later one
     */
    static long restore(Connection connection, boolean mayRepeat) throws SQLException {
        long lost = 0;
        try (Statement statement = connection.createStatement()) {
            if (exists(statement)) {
                return 0;
            }
            if (mayRepeat) {
                lost = statement.executeUpdate("DELETE FROM shingles WHERE rowid IN (SELECT rowid FROM (SELECT rowid, "
                        + "row_number() OVER (PARTITION BY value, number ORDER BY rowid DESC) AS n FROM shingles) "
                        + "WHERE n > 1)");
            }
            statement.execute("CREATE UNIQUE INDEX s ON shingles(value, number)");
        }
        return lost;
    }
}
