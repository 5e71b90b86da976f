package dev.weir.storage.backend.sqlite;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * The unique index on shingles, which Rspamd needs and which a large import does without until it is done: kept up row
 * by row it costs a random page for each of 32 rows a hash, built at the end it costs one sort.
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
     * Builds the index if it is not there. Where rows that were written without it hold a shingle twice, the later row
     * wins, as it does in Rspamd. The connection needs a journal, for the first attempt may have to be undone.
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
            // If nothing repeats, the attempt is the whole work. It fails without leaving a trace otherwise.
            if (build(statement)) {
                return 0;
            }
            long lost = removeRepeated(connection, statement);
            if (!build(statement)) {
                throw new SQLException("shingles still repeat after those that did were removed");
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
     * Returns an index that allows repetition is sorted as fast as the other one, and finds what repeats in one walk.
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
