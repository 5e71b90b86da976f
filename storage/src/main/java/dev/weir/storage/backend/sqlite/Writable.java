package dev.weir.storage.backend.sqlite;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;

import org.sqlite.JDBC;
import org.sqlite.SQLiteConfig;

/** Opens files for who writes many rows. */
public final class Writable {
    private Writable() {}

    /** A connection to a file, which is made if it is not there. */
    public static Connection open(Path file) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        // The driver asks for the new id after each insert otherwise, which costs more than the insert.
        config.setGetGeneratedKeys(false);
        return JDBC.createConnection("jdbc:sqlite:" + file.toAbsolutePath(), config.toProperties());
    }
}
