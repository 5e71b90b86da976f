package dev.weir.storage.backend.sqlite;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

import dev.weir.storage.StorageException;
import org.sqlite.SQLiteConfig;

/** Opens a database that another process may be writing to, without ever changing it. */
public final class ReadOnly {
    private static final int BUSY_TIMEOUT = 5_000;

    /** Page cache in KiB (negative: that is how SQLite tells KiB from pages). */
    private static final int CACHE = -64 * 1024;

    private ReadOnly() {}

    /**
     * A connection on which a read transaction has begun: what it reads is the state of that moment, whatever another
     * program writes.
     *
     * @throws StorageException if it cannot be read or is no database
     */
    public static Connection open(Path file) throws StorageException {
        if (!Files.isRegularFile(file)) {
            throw new StorageException("cannot open " + file + ": there is no such file");
        }
        try {
            return open(file, "ro");
        } catch (SQLException e) {
            // A file in write-ahead mode needs a file of shared memory beside it. Where that cannot be made, in a
            // folder that is read-only for us, a file without a log can still be read as it lies there.
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
            // The transaction begins with the first read.
            Schema.number(statement, "SELECT count(*) FROM sqlite_schema");
            return connection;
        } catch (Throwable e) {
            connection.close();
            throw e;
        }
    }
}
