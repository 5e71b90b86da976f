package dev.weir.storage.backend.sqlite;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import org.jspecify.annotations.Nullable;

/**
 * A writer of complete hashes into a database, many in a transaction, for imports while no storage uses the file.
 *
 * <p>With the unique index on shingles, a hash costs 32 random pages of that index. {@link #beginBulk} drops the index
 * and {@link #endBulk} builds it with one sort; in between everything is appended. If the process dies in between, the
 * next open of the file builds the index (see {@link Schema}), so a storage can open the file at any time.
 */
public final class HashWriter implements AutoCloseable {
    private static final int BUSY_TIMEOUT = 5_000;

    /**
     * The page cache in KiB (negative in SQLite's notation), enough for the digest index of about two million hashes.
     */
    private static final int CACHE = -256 * 1024;

    /** The number of helper threads of SQLite's sorter. */
    private static final int SORTERS = 2;

    /** The work of one transaction. */
    @FunctionalInterface
    public interface Batch<T> {
        /** Does the work. */
        T run() throws StorageException;
    }

    private final Path file;
    private final Connection connection;
    private final Transactions transactions;
    private final RowUpdates rows;
    private final HashLookup lookup;
    private final PreparedStatement putDigest;
    private final ShingleInsert shingles;
    private final PreparedStatement removeFlags;
    private final PreparedStatement removeState;
    private final PreparedStatement listState;
    private long lastId;

    private HashWriter(Path file, Connection connection) throws SQLException, StorageException {
        this.file = file;
        this.connection = connection;
        this.transactions = new Transactions(connection, file);
        this.rows = new RowUpdates(connection);
        this.lookup = new HashLookup(connection, file);
        putDigest = connection.prepareStatement(
                "INSERT INTO digests(id, flag, digest, value, time) VALUES (?, ?, CAST(? AS TEXT), ?, ?)");
        shingles = new ShingleInsert(connection, "INSERT OR REPLACE");
        removeFlags = connection.prepareStatement("DELETE FROM weir_flags WHERE digest_id = ?");
        removeState = connection.prepareStatement("DELETE FROM weir_state WHERE name = ?");
        listState = connection.prepareStatement(
                "SELECT name, value FROM weir_state WHERE substr(name, 1, length(?1)) = ?1");
        try (Statement statement = connection.createStatement()) {
            // Shingles without a digest may exist under greater ids.
            lastId = Schema.number(statement, "SELECT max((SELECT coalesce(max(id), 0) FROM digests), "
                    + "(SELECT coalesce(max(digest_id), 0) FROM shingles), 0)");
        }
    }

    /**
     * Opens a database, or creates or upgrades it as a storage would.
     *
     * @throws StorageException if it cannot be written, is locked or damaged, or is not the database of a fuzzy storage
     */
    public static HashWriter open(Path file) throws StorageException {
        if (!isInterrupted(file)) {
            SqliteBackend.open(file).close();
        }
        try {
            Connection connection = Writable.open(file);
            try (Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA busy_timeout = " + BUSY_TIMEOUT);
                statement.execute("PRAGMA synchronous = FULL");
                // Nothing that others refer to is deleted here, and checking the parent of each shingle costs time.
                statement.execute("PRAGMA foreign_keys = OFF");
                statement.execute("PRAGMA cache_size = " + CACHE);
                statement.execute("PRAGMA threads = " + SORTERS);
                return new HashWriter(file, connection);
            } catch (Throwable e) {
                SqliteErrors.closeAfter(connection);
                throw e;
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "open", e);
        }
    }

    /**
     * Returns whether a bulk was begun and not ended. Opening such a file as a storage does would build an index in
     * vain.
     */
    private static boolean isInterrupted(Path file) throws StorageException {
        if (!Files.exists(file)) {
            return false;
        }
        try (Connection connection = ReadOnly.open(file); Statement statement = connection.createStatement()) {
            return Schema.tables(statement).containsAll(Schema.TABLES) && !ShingleIndex.exists(statement);
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "open", e);
        }
    }

    /** Returns the number of digests. */
    public long count() throws StorageException {
        try (Statement statement = connection.createStatement()) {
            return Schema.number(statement, "SELECT count(*) FROM digests");
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
    }

    /** Does the work completely or not at all. When this returns, it is on disk. */
    public <T> T batch(Batch<T> work) throws StorageException {
        return transactions.run("write to", work::run);
    }

    /** Returns the hash of a digest, or null. */
    public @Nullable StoredHash find(Digest digest) throws StorageException {
        return lookup.find(digest);
    }

    /** Inserts a new hash under an id above all others. Within a {@link #batch}. */
    public void insert(StoredHash hash) throws StorageException {
        try {
            byte[] digest = hash.digest().toBytes();
            long id = ++lastId;
            FlagValue primary = hash.flags().getFirst();
            putDigest.setLong(1, id);
            putDigest.setInt(2, primary.flag());
            putDigest.setBytes(3, digest);
            putDigest.setLong(4, primary.value());
            putDigest.setLong(5, primary.time());
            putDigest.executeUpdate();
            putOthers(id, digest, hash);
            if (hash.renewed() != 0) {
                rows.renew(id, digest, hash.renewed());
            }
            if (hash.signature() != null) {
                rows.keepSignature(id, digest, hash.signature());
                shingles.put(id, hash.signature());
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "write to", e);
        }
    }

    /** Replaces the hash with the same digest. Within a {@link #batch}. */
    public void replace(StoredHash hash) throws StorageException {
        try {
            HashLookup.Found there = lookup.row(hash.digest());
            if (there == null) {
                insert(hash);
                return;
            }
            byte[] digest = hash.digest().toBytes();
            rows.update(there.id(), hash.flags().getFirst());
            removeFlags.setLong(1, there.id());
            removeFlags.executeUpdate();
            putOthers(there.id(), digest, hash);
            if (hash.renewed() != there.hash().renewed()) {
                rows.renew(there.id(), digest, hash.renewed());
            }
            Signature signature = hash.signature();
            if (signature != null && !Objects.equals(signature, there.hash().signature())) {
                rows.keepSignature(there.id(), digest, signature);
                rows.removeShingles(there.id());
                shingles.put(there.id(), signature);
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "write to", e);
        }
    }

    private void putOthers(long id, byte[] digest, StoredHash hash) throws SQLException {
        for (FlagValue flag : hash.flags().subList(1, hash.flags().size())) {
            rows.putFlag(id, flag, digest);
        }
    }

    /** Returns the stored numbers whose names begin with a prefix. */
    public Map<String, Long> states(String prefix) throws StorageException {
        try {
            listState.setString(1, prefix);
            Map<String, Long> states = new TreeMap<>();
            try (ResultSet found = listState.executeQuery()) {
                while (found.next()) {
                    states.put(found.getString(1), found.getLong(2));
                }
            }
            return states;
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
    }

    /** Stores a number. Within a {@link #batch}. */
    public void putState(String name, long value) throws StorageException {
        try {
            rows.putState(name, value);
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "write to", e);
        }
    }

    /** Deletes a number. Within a {@link #batch}. */
    public void removeState(String name) throws StorageException {
        try {
            removeState.setString(1, name);
            removeState.executeUpdate();
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "write to", e);
        }
    }

    /**
     * Counts a change as Rspamd does, so that other readers of the file notice it
     * (docs/reference/storage.md#source-revisions).
     */
    public void bumpSource(long time) throws StorageException {
        try {
            rows.bumpSource(time);
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "write to", e);
        }
    }

    /** Returns whether the index on shingles is missing because a bulk was begun and not ended. */
    public boolean inBulk() throws StorageException {
        try (Statement statement = connection.createStatement()) {
            return !ShingleIndex.exists(statement);
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
    }

    /** Drops the index on shingles until {@link #endBulk}. */
    public void beginBulk() throws StorageException {
        transactions.run("write to", () -> {
            ShingleIndex.drop(connection);
            return true;
        });
    }

    /** Builds the index on shingles if it is missing. The latest owner of a shingle keeps it. */
    public void endBulk() throws StorageException {
        transactions.run("write to", () -> ShingleIndex.restore(connection));
    }

    @Override
    public void close() throws StorageException {
        try (connection) {
            lookup.close();
            rows.close();
            putDigest.close();
            shingles.close();
            removeFlags.close();
            removeState.close();
            listState.close();
            try (Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA wal_checkpoint(TRUNCATE)");
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "close", e);
        }
    }
}
