package dev.weir.storage.transfer.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import dev.weir.model.Digest;
import dev.weir.storage.StorageException;
import dev.weir.storage.backend.sqlite.SqliteErrors;
import dev.weir.storage.backend.sqlite.Writable;
import dev.weir.storage.redis.Keys;
import org.jspecify.annotations.Nullable;

/**
 * A file of data fetched from Redis. Keys come in any order and repeatedly, and a hash far from its shingles; SQLite's
 * sorter joins them in bounded memory. The file stays until the transfer is complete, so a killed run resumes with the
 * same content.
 */
final class Spool implements AutoCloseable {
    /** A hash as found; {@code fields} is null if the key was not a hash or had vanished. */
    record Row(Digest digest, boolean vanished, long expires, @Nullable String fields) {}

    /** An owner of a shingle. */
    record Slot(Digest digest, int slot, long value) {}

    /** Work on the database. */
    @FunctionalInterface
    private interface Work {
        void run() throws SQLException;
    }

    private final Path file;
    private final Connection connection;
    private final PreparedStatement putHash;
    private final PreparedStatement putSlot;
    private final PreparedStatement putState;
    private final PreparedStatement getState;

    private Spool(Path file, Connection connection) throws SQLException {
        this.file = file;
        this.connection = connection;
        putHash = connection.prepareStatement(
                "INSERT INTO hashes(digest, vanished, expires, bare, fields) VALUES (?, ?, ?, ?, ?)");
        putSlot = connection.prepareStatement("INSERT INTO slots(digest, slot, value) VALUES (?, ?, ?)");
        putState = connection.prepareStatement("INSERT OR REPLACE INTO state(name, value) VALUES (?, ?)");
        getState = connection.prepareStatement("SELECT value FROM state WHERE name = ?");
    }

    /** Opens or creates the file. */
    static Spool open(Path file) throws StorageException {
        try {
            Connection connection = Writable.open(file);
            try (Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA journal_mode = WAL");
                // Data lost in a power cut is fetched again.
                statement.execute("PRAGMA synchronous = NORMAL");
                for (String command : List.of(
                        "CREATE TABLE IF NOT EXISTS state(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
                        "CREATE TABLE IF NOT EXISTS hashes(digest BLOB NOT NULL, vanished INTEGER NOT NULL, "
                                + "expires INTEGER NOT NULL, bare INTEGER NOT NULL, fields BLOB)",
                        "CREATE TABLE IF NOT EXISTS slots(digest BLOB NOT NULL, slot INTEGER NOT NULL, "
                                + "value INTEGER NOT NULL)")) {
                    statement.execute(command);
                }
                return new Spool(file, connection);
            } catch (Throwable e) {
                connection.close();
                throw e;
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "open", e);
        }
    }

    /** Deletes the file of an earlier run. */
    static void remove(Path file) throws StorageException {
        try {
            for (String suffix : List.of("", "-wal", "-shm", "-journal")) {
                Files.deleteIfExists(file.resolveSibling(file.getFileName() + suffix));
            }
        } catch (IOException e) {
            throw new StorageException("cannot remove " + file + ": " + e, e);
        }
    }

    @Nullable
    String state(String name) throws StorageException {
        try {
            getState.setString(1, name);
            try (ResultSet row = getState.executeQuery()) {
                return row.next() ? row.getString(1) : null;
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
    }

    /** Writes a part of the fetched data with the progress, completely or not at all. */
    void add(List<Row> rows, List<Slot> slots, Map<String, String> states) throws StorageException {
        transaction(() -> {
            for (Row row : rows) {
                putHash.setBytes(1, row.digest().toBytes());
                putHash.setInt(2, row.vanished() ? 1 : 0);
                putHash.setLong(3, row.expires());
                putHash.setInt(4, row.fields() != null && !Fields.hasSignature(FieldText.read(row.fields())) ? 1 : 0);
                putHash.setBytes(5, row.fields() == null ? null : Fields.bytes(row.fields()));
                putHash.executeUpdate();
            }
            for (Slot slot : slots) {
                putSlot.setBytes(1, slot.digest().toBytes());
                putSlot.setInt(2, slot.slot());
                putSlot.setLong(3, slot.value());
                putSlot.executeUpdate();
            }
            for (Map.Entry<String, String> state : states.entrySet()) {
                putState.setString(1, state.getKey());
                putState.setString(2, state.getValue());
                putState.executeUpdate();
            }
        });
    }

    /** Deletes all data. */
    void clear() throws StorageException {
        transaction(() -> {
            try (Statement statement = connection.createStatement()) {
                for (String table : List.of("state", "hashes", "slots")) {
                    statement.execute("DELETE FROM " + table);
                }
            }
        });
    }

    private void transaction(Work work) throws StorageException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("BEGIN");
            try {
                work.run();
                statement.execute("COMMIT");
            } catch (Throwable e) {
                statement.execute("ROLLBACK");
                throw e;
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "write to", e);
        }
    }

    /** Returns the approximate number of hashes. */
    long count() throws StorageException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM hashes")) {
            return row.next() ? row.getLong(1) : 0;
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
    }

    /** Streams the digests of hashes that do not list their shingles. */
    void bare(Consumer<byte[]> digests) throws StorageException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT digest FROM hashes WHERE bare = 1")) {
            while (row.next()) {
                digests.accept(row.getBytes(1));
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
    }

    /** Returns hashes in order of digests, the latest last; {@link Digest#BYTES} bytes each. */
    ResultSet hashes(Statement statement) throws SQLException {
        return statement
                .executeQuery("SELECT digest, vanished, expires, fields FROM hashes ORDER BY digest, rowid");
    }

    /** Returns owners of shingles in order of digests, the latest last. */
    ResultSet slots(Statement statement) throws SQLException {
        return statement.executeQuery("SELECT digest, slot, value FROM slots ORDER BY digest, rowid");
    }

    Statement statement() throws SQLException {
        return connection.createStatement();
    }

    Path file() {
        return file;
    }

    @Override
    public void close() throws StorageException {
        try (connection) {
            putHash.close();
            putSlot.close();
            putState.close();
            getState.close();
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "close", e);
        }
    }
}
