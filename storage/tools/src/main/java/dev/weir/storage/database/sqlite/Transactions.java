package dev.weir.storage.database.sqlite;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

import dev.weir.storage.StorageException;

/** Transactions on a connection, which complete or change nothing. */
final class Transactions {
    /** The work of a transaction. */
    @FunctionalInterface
    interface Work<T> {
        T run() throws SQLException, StorageException;
    }

    private final Connection connection;
    private final Path file;

    Transactions(Connection connection, Path file) {
        this.connection = connection;
        this.file = file;
    }

    /**
     * Runs a transaction. It takes the write lock first, so that another program with that lock is noticed before any
     * work.
     *
     * @param doing a verb for the message, such as {@code write to}
     */
    <T> T run(String doing, Work<T> work) throws StorageException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            try {
                T result = work.run();
                statement.execute("COMMIT");
                return result;
            } catch (Throwable e) {
                rollback(statement);
                throw e;
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, doing, e);
        }
    }

    private static void rollback(Statement statement) {
        try {
            statement.execute("ROLLBACK");
        } catch (SQLException alreadyRolledBack) {
            // SQLite itself rolls back after most I/O errors. The first failure is the one to report.
            return;
        }
    }
}
