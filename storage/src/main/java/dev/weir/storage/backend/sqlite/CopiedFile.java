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
 * A fresh copy of Rspamd's file that gets our tables and loses what was not taken over. Until {@link #finish} it is
 * scrap: it is written without a journal, and its maker discards it when that fails.
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

    /** Opens the copy and makes what is missing in it. */
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

    /** Keeps the signature of a row in our own table. */
    public void keep(long id, Digest digest, Signature signature) throws StorageException {
        try {
            rows.keepSignature(id, digest.toBytes(), signature);
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "write to", e);
        }
    }

    /** Removes the digests with ids between two others, and the shingles of such ids, with a digest or without. */
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
