package dev.weir.storage.database.sqlite;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.BooleanSupplier;

import dev.weir.model.FlagValue;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;

/**
 * A writer of a new file with Rspamd's tables and Weir's, which has everything that a hash has. Until {@link #finish}
 * the file is unusable, as that of a {@link RspamdFileWriter}.
 */
public final class HashWriter implements AutoCloseable {
    private final Path file;
    private final RspamdFileWriter hashes;
    private final Connection connection;
    private final RowUpdates rows;

    private HashWriter(Path file, RspamdFileWriter hashes) throws SQLException {
        this.file = file;
        this.hashes = hashes;
        this.connection = hashes.connection();
        try (Statement statement = connection.createStatement()) {
            Schema.makeWeirTables(statement);
        }
        this.rows = new RowUpdates(connection);
    }

    /** Creates the file, which must not exist or be empty. */
    public static HashWriter create(Path file) throws StorageException {
        RspamdFileWriter hashes = RspamdFileWriter.create(file);
        try {
            return new HashWriter(file, hashes);
        } catch (SQLException e) {
            hashes.close();
            throw SqliteErrors.of(file, "write to", e);
        }
    }

    /** Appends a hash. Its digest must be new. */
    public void insert(StoredHash hash) throws StorageException {
        long id = hashes.insert(hash);
        try {
            byte[] digest = hash.digest().toBytes();
            for (FlagValue flag : hash.flags().subList(1, hash.flags().size())) {
                rows.putFlag(id, flag, digest);
            }
            if (hash.renewed() != 0) {
                rows.renew(id, digest, hash.renewed());
            }
            if (hash.signature() != null) {
                rows.keepSignature(id, digest, hash.signature());
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "write to", e);
        }
    }

    /**
     * Completes the file.
     *
     * @param storageId the number of the storage
     * @param revision the last update that the hashes have
     * @param time time of creation in seconds since the epoch
     * @param stopped whether to give up
     * @throws StorageException if the file cannot be written, or was given up
     */
    public void finish(long storageId, long revision, long time, BooleanSupplier stopped) throws StorageException {
        try {
            rows.putState("storage", storageId);
            rows.putState("revision", revision);
            hashes.finish(time, stopped, rows::noteSources);
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "write to", e);
        }
    }

    @Override
    public void close() throws StorageException {
        try (hashes) {
            rows.close();
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "close", e);
        }
    }
}
