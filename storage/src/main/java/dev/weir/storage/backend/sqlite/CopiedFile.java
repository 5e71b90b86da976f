package dev.weir.storage.backend.sqlite;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.storage.StorageException;

/**
 * A new copy of Rspamd's file that gets Weir's tables and loses what was not copied. It is written without a journal
 * and unusable until {@link #finish}; the creator discards it after a failure.
 */
public final class CopiedFile implements AutoCloseable {
    private static final int CACHE = -256 * 1024;

    private final Path file;
    private final Connection connection;
    private final RowUpdates rows;
    private final PreparedStatement removeDigests;
    private final PreparedStatement removeShingles;

    private CopiedFile(Path file, Connection connection) throws SQLException {
        this.file = file;
        this.connection = connection;
        rows = new RowUpdates(connection);
        removeDigests = connection.prepareStatement("DELETE FROM digests WHERE id > ? AND id < ?");
        removeShingles = connection.prepareStatement("DELETE FROM shingles WHERE digest_id > ? AND digest_id < ?");
    }

    /** Opens the copy and creates missing tables. */
    public static CopiedFile open(Path file) throws StorageException {
        try {
            Connection connection = Writable.open(file);
            try (Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA journal_mode = DELETE");
                statement.execute("PRAGMA journal_mode = OFF");
                statement.execute("PRAGMA synchronous = OFF");
                statement.execute("PRAGMA cache_size = " + CACHE);
                statement.execute("BEGIN");
                Schema.prepare(connection, file);
                return new CopiedFile(file, connection);
            } catch (Throwable e) {
                connection.close();
                throw e;
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "write to", e);
        }
    }

    /** Stores the signature of a row in Weir's own table. */
    public void keep(long id, Digest digest, Signature signature) throws StorageException {
        try {
            rows.keepSignature(id, digest.toBytes(), signature);
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "write to", e);
        }
    }

    /** Deletes the digests with ids between two others, and the shingles of such ids. */
    public void removeBetween(long id, long next) throws StorageException {
        try {
            for (PreparedStatement statement : new PreparedStatement[]{removeDigests, removeShingles}) {
                statement.setLong(1, id);
                statement.setLong(2, next);
                statement.executeUpdate();
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "write to", e);
        }
    }

    /** Completes the file. */
    public void finish() throws StorageException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("DELETE FROM shingles WHERE digest_id IS NULL");
            statement.execute("COMMIT");
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "write to", e);
        }
    }

    @Override
    public void close() throws StorageException {
        try (connection) {
            rows.close();
            removeDigests.close();
            removeShingles.close();
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "close", e);
        }
    }
}
