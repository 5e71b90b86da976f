package dev.weir.storage.database.sqlite;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.BooleanSupplier;

import dev.weir.model.FlagValue;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import org.sqlite.ProgressHandler;

/**
 * A writer of a new file with exactly Rspamd's tables, in one transaction: it appends all rows, and then builds each
 * index with one sort. Until {@link #finish} the file is unusable: its journal is in memory, and the creator deletes it
 * after a failure.
 */
public final class RspamdFileWriter implements AutoCloseable {
    /** The page cache in KiB; negative in SQLite's notation. Its sorters get as much memory. */
    private static final int CACHE = -256 * 1024;

    /** The number of helper threads of SQLite's sorter. */
    private static final int SORTERS = 2;

    /** The number of SQLite's steps between two questions whether to give up, some milliseconds. */
    private static final int STEPS = 10_000;

    private final Path file;
    private final Connection connection;
    private final PreparedStatement digest;
    private final ShingleInsert shingles;
    private long id;

    /** The last work on a file before its transaction is committed. */
    @FunctionalInterface
    interface LastWork {
        void run() throws SQLException;
    }

    private RspamdFileWriter(Path file, Connection connection) throws SQLException {
        this.file = file;
        this.connection = connection;
        digest = connection.prepareStatement(
                "INSERT INTO digests(id, flag, digest, value, time) VALUES (?, ?, CAST(? AS TEXT), ?, ?)");
        shingles = new ShingleInsert(connection, "INSERT");
    }

    /** Creates the file, which must not exist or be empty. */
    public static RspamdFileWriter create(Path file) throws StorageException {
        try {
            Connection connection = Writable.open(file);
            try (Statement statement = connection.createStatement()) {
                // Not OFF, because creating the index on shingles may fail, and SQLite cannot undo that without a
                // journal. All pages are new in this one transaction, so the journal stays nearly empty.
                statement.execute("PRAGMA journal_mode = MEMORY");
                statement.execute("PRAGMA synchronous = OFF");
                statement.execute("PRAGMA locking_mode = EXCLUSIVE");
                statement.execute("PRAGMA cache_size = " + CACHE);
                statement.execute("PRAGMA threads = " + SORTERS);
                statement.execute("BEGIN");
                Schema.makeRspamdTablesWithoutIndexes(statement);
                return new RspamdFileWriter(file, connection);
            } catch (Throwable e) {
                connection.close();
                throw e;
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "write to", e);
        }
    }

    /** Returns the connection, in the transaction in which everything is written. */
    Connection connection() {
        return connection;
    }

    /**
     * Appends a hash with its primary flag. Its digest must be new.
     *
     * @return the id of its row
     */
    public long insert(StoredHash hash) throws StorageException {
        try {
            FlagValue flag = hash.flags().getFirst();
            id++;
            digest.setLong(1, id);
            digest.setInt(2, flag.flag());
            digest.setBytes(3, hash.digest().toBytes());
            digest.setLong(4, flag.value());
            digest.setLong(5, flag.time());
            digest.executeUpdate();
            if (hash.signature() != null) {
                shingles.put(id, hash.signature());
            }
            return id;
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "write to", e);
        }
    }

    /**
     * Completes the file.
     *
     * @param time time of creation in seconds since the epoch
     * @return how many shingles an earlier hash lost to a later one
     */
    public long finish(long time) throws StorageException {
        return finish(time, () -> false, () -> {});
    }

    long finish(long time, BooleanSupplier stopped, LastWork last) throws StorageException {
        try (Statement statement = connection.createStatement()) {
            ProgressHandler.setHandler(connection, STEPS, new ProgressHandler() {
                @Override
                protected int progress() {
                    return stopped.getAsBoolean() ? 1 : 0;
                }
            });
            long lost = ShingleIndex.restore(connection);
            Schema.makeRspamdTables(statement);
            ProgressHandler.clearHandler(connection);
            statement.execute("INSERT INTO sources(name, version, last) VALUES ('local', 1, " + time + ")");
            last.run();
            statement.execute("COMMIT");
            return lost;
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "write to", e);
        }
    }

    @Override
    public void close() throws StorageException {
        try (connection) {
            digest.close();
            shingles.close();
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "close", e);
        }
    }
}
