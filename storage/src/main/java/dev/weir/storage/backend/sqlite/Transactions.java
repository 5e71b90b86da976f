package dev.weir.storage.backend.sqlite;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

import dev.weir.storage.StorageException;

/** Runs work wholly or not at all. */
final class Transactions {
    /** Work that may talk to the database. */
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
     * Takes the write lock first, so that a program that holds it is noticed before anything was done.
     *
     * @param doing a verb for the message, "write to" for example
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
            // SQLite itself rolls back after most I/O errors; the first failure is the one to report.
            return;
        }
    }
}
