package dev.weir.storage.transfer.sqlite;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

import dev.weir.model.Signature;
import dev.weir.storage.StoredHash;

/** Files in the format of old Rspamd releases (docs/reference/storage.md#sqlite-schema). */
final class OldFile {
    /** The changes over the years. */
    enum Release {
        /** Two tables, and no index on the shingles of a digest. */
        V0_8_0,
        /** With that index. */
        V1_0_3,
        /** With the table of sources. */
        V1_3_0
    }

    private OldFile() {}

    static void make(Path file, Release release, List<StoredHash> hashes) throws SQLException {
        List<String> commands = new ArrayList<>(List.of(
                "CREATE TABLE digests(id INTEGER PRIMARY KEY, flag INTEGER NOT NULL, digest TEXT NOT NULL, "
                        + "value INTEGER, time INTEGER)",
                "CREATE TABLE shingles(value INTEGER NOT NULL, number INTEGER NOT NULL, digest_id INTEGER "
                        + "REFERENCES digests(id) ON DELETE CASCADE ON UPDATE CASCADE)",
                "CREATE UNIQUE INDEX d ON digests(digest)", "CREATE INDEX t ON digests(time)",
                "CREATE UNIQUE INDEX s ON shingles(value, number)"));
        if (release != Release.V0_8_0) {
            commands.add("CREATE INDEX dgst_id ON shingles(digest_id)");
        }
        if (release == Release.V1_3_0) {
            commands.add("CREATE TABLE sources(name TEXT UNIQUE, version INTEGER, last INTEGER)");
            commands.add("INSERT INTO sources VALUES ('local', 7, 1700000000)");
        }
        execute(file, commands.toArray(String[]::new));
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            connection.setAutoCommit(false);
            for (StoredHash hash : hashes) {
                insert(connection, hash);
            }
            connection.commit();
        }
    }

    private static void insert(Connection connection, StoredHash hash) throws SQLException {
        try (PreparedStatement digest = connection.prepareStatement(
                "INSERT INTO digests(flag, digest, value, time) VALUES (?, CAST(? AS TEXT), ?, ?)");
                PreparedStatement shingle = connection
                        .prepareStatement("INSERT OR REPLACE INTO shingles VALUES (?, ?, last_insert_id())"
                                .replace("last_insert_id()", "(SELECT max(id) FROM digests)"))) {
            digest.setInt(1, hash.flags().getFirst().flag());
            digest.setBytes(2, hash.digest().toBytes());
            digest.setLong(3, hash.flags().getFirst().value());
            digest.setLong(4, hash.flags().getFirst().time());
            digest.executeUpdate();
            for (int i = 0; hash.signature() != null && i < Signature.SLOTS; i++) {
                if (hash.signature().has(i)) {
                    shingle.setLong(1, hash.signature().value(i));
                    shingle.setInt(2, i);
                    shingle.executeUpdate();
                }
            }
        }
    }

    static void execute(Path file, String... commands) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            for (String command : commands) {
                statement.execute(command);
            }
        }
    }

    /** Returns the only number in the result of a query. */
    static long number(Path file, String query) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            return row.getLong(1);
        }
    }
}
