package dev.weir.storage.database.sqlite;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;

import org.sqlite.JDBC;

/**
 * A wrapper of SQLite's driver, which reports only once that its library cannot be loaded, and later fails with an
 * error of the JVM.
 */
final class Driver {
    private Driver() {}

    static Connection connect(String url, Properties properties) throws SQLException {
        try {
            return JDBC.createConnection(url, properties);
        } catch (LinkageError e) {
            throw new SQLException("the library of SQLite is not loaded", e);
        }
    }
}
