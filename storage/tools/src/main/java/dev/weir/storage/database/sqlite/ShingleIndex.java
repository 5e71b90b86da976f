package dev.weir.storage.database.sqlite;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * The unique index on shingles, which Rspamd needs. A new file gets it after all rows: row by row it costs a random
 * page for each of a hash's 32 rows, and at the end only one sort.
 */
final class ShingleIndex {
    private ShingleIndex() {}

    static boolean exists(Statement statement) throws SQLException {
        return Schema.number(statement,
                "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND name = 's' AND tbl_name = 'shingles'") > 0;
    }

    /**
     * Builds the index if it is missing. If rows written without it contain a shingle twice, the later row wins, as in
     * Rspamd. The connection needs a journal, because the first attempt may have to be undone.
     *
     * @return how many rows lost to a later one
     */
    static long restore(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (exists(statement)) {
                return 0;
            }
            if (!hasJournal(statement)) {
                throw new IllegalStateException("an index on shingles is to be built without a journal");
            }
            // If no shingle repeats, this attempt is all the work. Otherwise it fails without a trace.
            if (build(statement)) {
                return 0;
            }
            long lost = removeRepeated(connection, statement);
            if (!build(statement)) {
                throw new SQLException("duplicate shingles remain after they were removed");
            }
            return lost;
        }
    }

    private static boolean hasJournal(Statement statement) throws SQLException {
        try (ResultSet mode = statement.executeQuery("PRAGMA journal_mode")) {
            return mode.next() && !"off".equalsIgnoreCase(mode.getString(1));
        }
    }

    private static boolean build(Statement statement) throws SQLException {
        try {
            statement.execute("CREATE UNIQUE INDEX s ON shingles(value, number)");
            return true;
        } catch (SQLiteException e) {
            if ((e.getResultCode().code & 0xff) == SQLiteErrorCode.SQLITE_CONSTRAINT.code) {
                return false;
            }
            throw e;
        }
    }

    /**
     * Deletes repeated shingles. An index that allows repetition is sorted just as fast, and finds them in one pass.
     */
    private static long removeRepeated(Connection connection, Statement statement) throws SQLException {
        statement.execute("CREATE INDEX weir_repeated ON shingles(value, number)");
        statement.execute("CREATE TEMP TABLE weir_winners AS SELECT value, number, max(rowid) AS winner "
                + "FROM main.shingles INDEXED BY weir_repeated GROUP BY value, number HAVING count(*) > 1");
        long lost = 0;
        try (Statement winners = connection.createStatement();
                ResultSet row = winners.executeQuery("SELECT value, number, winner FROM temp.weir_winners");
                PreparedStatement remove = connection
                        .prepareStatement("DELETE FROM shingles WHERE value = ? AND number = ? AND rowid < ?")) {
            while (row.next()) {
                remove.setLong(1, row.getLong(1));
                remove.setLong(2, row.getLong(2));
                remove.setLong(3, row.getLong(3));
                lost += remove.executeUpdate();
            }
        }
        statement.execute("DROP TABLE temp.weir_winners");
        statement.execute("DROP INDEX weir_repeated");
        return lost;
    }
}
