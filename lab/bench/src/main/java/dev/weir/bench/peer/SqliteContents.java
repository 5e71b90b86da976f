package dev.weir.bench.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.BitSet;

import dev.weir.load.population.Population;

/** A {@code fuzzy.db} (docs/reference/storage.md#sqlite-backend), read while its server uses it. */
final class SqliteContents implements Contents {
    private static final int BUSY_MILLIS = 30_000;

    private final Path file;

    SqliteContents(Path file) {
        this.file = file;
    }

    private Connection connect() throws SQLException, IOException {
        if (Files.notExists(file)) {
            // SQLite would create an empty file.
            throw new IOException(file + " does not exist");
        }
        Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = " + BUSY_MILLIS);
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
        return connection;
    }

    @Override
    public long count() throws IOException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM digests")) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IOException(file + " cannot be counted", e);
        }
    }

    @Override
    public Tally tally(Population population, BitSet numbers) throws IOException {
        int stored = 0;
        int exact = 0;
        try (Connection connection = connect();
                PreparedStatement select = connection
                        .prepareStatement("SELECT flag, value FROM digests WHERE digest = CAST(? AS TEXT)")) {
            connection.setAutoCommit(false);
            for (int n = numbers.nextSetBit(0); n >= 0; n = numbers.nextSetBit(n + 1)) {
                select.setBytes(1, population.digest(n));
                try (ResultSet row = select.executeQuery()) {
                    if (row.next()) {
                        stored++;
                        exact += row.getInt(1) == population.flag(n) && row.getLong(2) == population.value(n) ? 1 : 0;
                    }
                }
            }
        } catch (SQLException e) {
            throw new IOException(file + " cannot be read", e);
        }
        return new Tally(stored, exact);
    }

    /** Locks the database with another connection, as a backup or an administrator's shell may. */
    @Override
    public Outage takeAway() throws IOException {
        try {
            Connection connection = connect();
            try (Statement statement = connection.createStatement()) {
                statement.execute("BEGIN EXCLUSIVE");
            } catch (SQLException e) {
                connection.close();
                throw e;
            }
            return () -> {
                try (connection; Statement statement = connection.createStatement()) {
                    statement.execute("ROLLBACK");
                } catch (SQLException e) {
                    throw new IOException(file + " cannot be unlocked", e);
                }
            };
        } catch (SQLException e) {
            throw new IOException(file + " cannot be locked", e);
        }
    }
}
