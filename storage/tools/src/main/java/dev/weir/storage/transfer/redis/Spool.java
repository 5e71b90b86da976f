package dev.weir.storage.transfer.redis;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

import dev.weir.model.Digest;
import dev.weir.model.failure.Reason;
import dev.weir.os.OwnerOnly;
import dev.weir.storage.DataFolder;
import dev.weir.storage.DatabaseDamagedException;
import dev.weir.storage.StorageException;
import dev.weir.storage.database.sqlite.SqliteErrors;
import dev.weir.storage.database.sqlite.Writable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * A file of data fetched from Redis. Keys come in any order and repeatedly, and a hash far from its shingles; SQLite's
 * sorter joins them in bounded memory. The file stays until the transfer is complete, so a killed run resumes with the
 * same content.
 *
 * <p>Each row has a checksum, and the file the number of its rows. A run that resumes verifies them before anything is
 * imported. A damaged file is kept aside, and the run fetches everything again, under another fingerprint. Files of an
 * earlier version have no checksums and are used as they are.
 */
final class Spool implements AutoCloseable {
    /** A hash as found; {@code fields} is null if the key was not a hash or had vanished. */
    record Row(Digest digest, boolean vanished, long expires, @Nullable String fields) {}

    /** An owner of a shingle. */
    record Slot(Digest digest, int slot, long value) {}

    private static final Logger LOG = LoggerFactory.getLogger(Spool.class);

    /** The version of a file whose rows have checksums. Earlier ones had 0, which no flipped bit makes of this. */
    private static final int VERSION = 7;

    /** The checksum of no row. */
    private static final long NO_SUM = -1;

    /** The name of the number of rows in both tables. */
    private static final String ROWS = "rows";

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
    private long rows;

    private Spool(Path file, Connection connection, long rows) throws SQLException {
        this.file = file;
        this.connection = connection;
        this.rows = rows;
        putHash = connection.prepareStatement(
                "INSERT INTO hashes(digest, vanished, expires, bare, fields, sum) VALUES (?, ?, ?, ?, ?, ?)");
        putSlot = connection.prepareStatement("INSERT INTO slots(digest, slot, value, sum) VALUES (?, ?, ?, ?)");
        putState = connection.prepareStatement("INSERT OR REPLACE INTO state(name, value, sum) VALUES (?, ?, ?)");
        getState = connection.prepareStatement("SELECT value FROM state WHERE name = ?");
    }

    /** Opens or creates the file. A damaged one of an earlier run is kept aside. */
    static Spool open(Path file) throws StorageException {
        if (Files.exists(file)) {
            Optional<String> damage = damage(file);
            if (damage.isPresent()) {
                setAside(file, damage.get());
            }
        }
        try {
            Connection connection = Writable.open(file);
            try (Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA journal_mode = WAL");
                // Data lost in a power cut is fetched again.
                statement.execute("PRAGMA synchronous = NORMAL");
                prepare(connection, statement);
                return new Spool(file, connection, number(statement, "SELECT count(*) FROM hashes")
                        + number(statement, "SELECT count(*) FROM slots"));
            } catch (Throwable e) {
                connection.close();
                throw e;
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "open", e);
        }
    }

    private static void prepare(Connection connection, Statement statement) throws SQLException {
        connection.setAutoCommit(false);
        boolean there = number(statement, "SELECT count(*) FROM sqlite_master WHERE name = 'hashes'") > 0;
        for (String command : List.of(
                "CREATE TABLE IF NOT EXISTS state(name TEXT PRIMARY KEY, value TEXT NOT NULL, sum INTEGER) "
                        + "WITHOUT ROWID",
                "CREATE TABLE IF NOT EXISTS hashes(digest BLOB NOT NULL, vanished INTEGER NOT NULL, "
                        + "expires INTEGER NOT NULL, bare INTEGER NOT NULL, fields BLOB, sum INTEGER)",
                "CREATE TABLE IF NOT EXISTS slots(digest BLOB NOT NULL, slot INTEGER NOT NULL, "
                        + "value INTEGER NOT NULL, sum INTEGER)")) {
            statement.execute(command);
        }
        if (!there) {
            statement.execute("PRAGMA user_version = " + VERSION);
        } else if (number(statement, "SELECT count(*) FROM pragma_table_info('hashes') WHERE name = 'sum'") == 0) {
            for (String table : List.of("state", "hashes", "slots")) {
                statement.execute("ALTER TABLE " + table + " ADD COLUMN sum INTEGER");
            }
        }
        connection.commit();
        connection.setAutoCommit(true);
    }

    private static long number(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    /** Returns what is damaged in a file of an earlier run; empty if nothing is. */
    private static Optional<String> damage(Path file) throws StorageException {
        try (Connection connection = Writable.open(file); Statement statement = connection.createStatement()) {
            long version = number(statement, "PRAGMA user_version");
            if (version != VERSION) {
                return version == 0 ? Optional.empty() : Optional.of("its version is unknown");
            }
            long rows = 0;
            long noted = 0;
            try (ResultSet row = statement
                    .executeQuery("SELECT digest, vanished, expires, bare, fields, sum FROM hashes")) {
                for (; row.next(); rows++) {
                    if (row.getLong(6) != sum(row.getBytes(1), row.getLong(2), row.getLong(3), row.getLong(4),
                            row.getBytes(5))) {
                        return Optional.of("the checksum of a hash is wrong");
                    }
                }
            }
            try (ResultSet row = statement.executeQuery("SELECT digest, slot, value, sum FROM slots")) {
                for (; row.next(); rows++) {
                    if (row.getLong(4) != sum(row.getBytes(1), row.getLong(2), row.getLong(3), 0, null)) {
                        return Optional.of("the checksum of a shingle is wrong");
                    }
                }
            }
            try (ResultSet row = statement.executeQuery("SELECT name, value, sum FROM state")) {
                while (row.next()) {
                    if (row.getLong(3) != sum(row.getString(1), row.getString(2))) {
                        return Optional.of("the checksum of its progress is wrong");
                    }
                    noted = row.getString(1).equals(ROWS) ? Long.parseLong(row.getString(2)) : noted;
                }
            }
            return rows == noted ? Optional.empty() : Optional.of("it has " + rows + " rows instead of " + noted);
        } catch (SQLException e) {
            StorageException reason = SqliteErrors.of(file, "read", e);
            // A damaged schema is an ordinary error: a table or a column is missing.
            boolean odd = e instanceof SQLiteException sqlite
                    && (sqlite.getResultCode().code & 0xff) == SQLiteErrorCode.SQLITE_ERROR.code;
            if (odd || reason instanceof DatabaseDamagedException) {
                return Optional.of(String.valueOf(reason.getMessage()));
            }
            throw reason;
        }
    }

    private static long sum(byte @Nullable [] digest, long first, long second, long third, byte @Nullable [] fields) {
        CRC32C sum = new CRC32C();
        if (digest == null) {
            return NO_SUM;
        }
        sum.update(digest);
        sum.update(ByteBuffer.allocate(3 * Long.BYTES).putLong(first).putLong(second).putLong(third).flip());
        if (fields != null) {
            sum.update(1);
            sum.update(fields);
        }
        return sum.getValue();
    }

    private static long sum(String name, String value) {
        return sum((name + "\n" + value).getBytes(StandardCharsets.UTF_8), 0, 0, 0, null);
    }

    private static void setAside(Path file, String why) throws StorageException {
        try {
            Path aside = file.toAbsolutePath().resolveSibling(DataFolder.ASIDE);
            OwnerOnly.createFolders(aside);
            for (String suffix : List.of("", "-wal", "-shm", "-journal")) {
                Path part = file.resolveSibling(file.getFileName() + suffix);
                if (Files.exists(part)) {
                    Files.move(part, aside.resolve(part.getFileName()), StandardCopyOption.REPLACE_EXISTING);
                }
            }
            LOG.error("{}, what an interrupted import fetched, is not used: {}. It is kept in {}, and everything is "
                    + "fetched again", file, why, aside);
        } catch (IOException e) {
            throw new StorageException(file + " is damaged (" + why + ") and cannot be moved: " + Reason.of(e), e);
        }
    }

    /** Deletes the file of an earlier run. */
    static void remove(Path file) throws StorageException {
        try {
            for (String suffix : List.of("", "-wal", "-shm", "-journal")) {
                Files.deleteIfExists(file.resolveSibling(file.getFileName() + suffix));
            }
        } catch (IOException e) {
            throw new StorageException("cannot remove " + file + ": " + Reason.of(e, file), e);
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
    void add(List<Row> added, List<Slot> slots, Map<String, String> states) throws StorageException {
        transaction(() -> {
            for (Row row : added) {
                int vanished = row.vanished() ? 1 : 0;
                int bare = row.fields() != null && !Fields.hasSignature(FieldText.read(row.fields())) ? 1 : 0;
                byte[] fields = row.fields() == null ? null : Fields.bytes(row.fields());
                putHash.setBytes(1, row.digest().toBytes());
                putHash.setInt(2, vanished);
                putHash.setLong(3, row.expires());
                putHash.setInt(4, bare);
                putHash.setBytes(5, fields);
                putHash.setLong(6, sum(row.digest().toBytes(), vanished, row.expires(), bare, fields));
                putHash.executeUpdate();
            }
            for (Slot slot : slots) {
                putSlot.setBytes(1, slot.digest().toBytes());
                putSlot.setInt(2, slot.slot());
                putSlot.setLong(3, slot.value());
                putSlot.setLong(4, sum(slot.digest().toBytes(), slot.slot(), slot.value(), 0, null));
                putSlot.executeUpdate();
            }
            for (Map.Entry<String, String> state : states.entrySet()) {
                put(state.getKey(), state.getValue());
            }
            put(ROWS, Long.toString(rows + added.size() + slots.size()));
        });
        rows += added.size() + slots.size();
    }

    private void put(String name, String value) throws SQLException {
        putState.setString(1, name);
        putState.setString(2, value);
        putState.setLong(3, sum(name, value));
        putState.executeUpdate();
    }

    /** Deletes all data. */
    void clear() throws StorageException {
        transaction(() -> {
            try (Statement statement = connection.createStatement()) {
                for (String table : List.of("state", "hashes", "slots")) {
                    statement.execute("DELETE FROM " + table);
                }
                statement.execute("PRAGMA user_version = " + VERSION);
            }
            put(ROWS, "0");
        });
        rows = 0;
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
