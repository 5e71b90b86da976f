package dev.weir.storage.database.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

import dev.weir.model.failure.Reason;
import dev.weir.os.OwnerOnly;
import dev.weir.storage.StorageException;
import org.sqlite.SQLiteConfig;

/** Read-only connections to a database that another process may be writing to. */
public final class ReadOnly {
    private static final int BUSY_TIMEOUT = 5_000;

    /** The page cache in KiB; negative in SQLite's notation. */
    private static final int CACHE = -64 * 1024;

    private ReadOnly() {}

    /**
     * Opens a connection with a read transaction. It reads the state of this moment, whatever another program writes.
     *
     * @throws StorageException if the file cannot be read or is not a database
     */
    public static Connection open(Path file) throws StorageException {
        if (!Files.isRegularFile(file)) {
            throw new StorageException("cannot open " + file + ": there is no such file");
        }
        try {
            return open(file, "ro");
        } catch (SQLException e) {
            // A file in write-ahead mode needs a shared-memory file beside it. In a folder that is read-only for this
            // process, a file without a write-ahead log can still be read as it is.
            if (Files.isWritable(file.toAbsolutePath().getParent())
                    || Files.exists(file.resolveSibling(file.getFileName() + "-wal"))) {
                throw SqliteErrors.of(file, "open", e);
            }
        }
        try {
            return open(file, "ro&immutable=1");
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "open", e);
        }
    }

    /**
     * Writes a consistent copy of a database, which another program may be writing to, into a new file.
     *
     * @throws StorageException if one of the two cannot be used
     */
    public static void copy(Path file, Path target) throws StorageException {
        try (Connection connection = open(file)) {
            copy(connection, target);
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "copy", e);
        }
    }

    /** Writes a copy of a database. The connection has another read transaction afterwards. */
    static void copy(Connection connection, Path target) throws SQLException, StorageException {
        try (Statement statement = connection.createStatement()) {
            // VACUUM has its own transaction, as consistent as this one and perhaps slightly later.
            statement.execute("COMMIT");
            // An empty file, which VACUUM accepts as new, with its final mode.
            OwnerOnly.create(target);
            statement.execute("VACUUM INTO '" + target.toAbsolutePath().toString().replace("'", "''") + "'");
            statement.execute("BEGIN");
        } catch (IOException e) {
            throw new StorageException("cannot write " + target + ": " + Reason.of(e, target), e);
        }
    }

    private static Connection open(Path file, String mode) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        Properties properties = config.toProperties();
        Connection connection = Driver.connect(
                "jdbc:sqlite:file:" + file.toAbsolutePath().toUri().getRawPath() + "?mode=" + mode, properties);
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = " + BUSY_TIMEOUT);
            statement.execute("PRAGMA cache_size = " + CACHE);
            statement.execute("BEGIN");
            // The first read begins the transaction.
            Schema.number(statement, "SELECT count(*) FROM sqlite_schema");
            return connection;
        } catch (Throwable e) {
            connection.close();
            throw e;
        }
    }
}
