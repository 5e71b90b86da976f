package dev.weir.storage.transfer.sqlite;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.database.sqlite.Columns;
import dev.weir.storage.database.sqlite.ReadOnly;
import dev.weir.storage.database.sqlite.SqliteErrors;
import dev.weir.storage.transfer.Flags;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.Omission;
import dev.weir.storage.transfer.Omissions;
import org.jspecify.annotations.Nullable;

/**
 * An SQLite file written by Rspamd, from release 0.8.0 on, or by Weir (docs/reference/storage.md#sqlite-schema).
 *
 * <p>The columns of the tables {@code digests} and {@code shingles} never changed. Old files may lack the table {@code
 * sources} and indexes; the source then sorts where necessary. If Weir's own tables exist, additional flags and
 * complete signatures come from them. Positions are row ids.
 *
 * <p>The file is read in one transaction. Other programs may write meanwhile, and their changes are not visible.
 */
public final class SqliteSource implements HashSource {
    private final Path file;
    private final Connection connection;
    private final Set<String> tables;

    private SqliteSource(Path file, Connection connection, Set<String> tables) {
        this.file = file;
        this.connection = connection;
        this.tables = tables;
    }

    /**
     * Opens a file for reading.
     *
     * @throws StorageException if it cannot be read, or is not a database of fuzzy hashes
     */
    public static SqliteSource open(Path file) throws StorageException {
        Connection connection = ReadOnly.open(file);
        try (Statement statement = connection.createStatement()) {
            Set<String> tables = names(statement, "SELECT name FROM sqlite_schema WHERE type = 'table'");
            need(file, statement, "digests", Set.of("id", "flag", "digest", "value", "time"));
            need(file, statement, "shingles", Set.of("value", "number", "digest_id"));
            return new SqliteSource(file, connection, tables);
        } catch (SQLException e) {
            SqliteErrors.closeAfter(connection);
            throw SqliteErrors.of(file, "read", e);
        } catch (Throwable e) {
            SqliteErrors.closeAfter(connection);
            throw e;
        }
    }

    private static void need(Path file, Statement statement, String table, Set<String> columns)
            throws SQLException, StorageException {
        Set<String> there = names(statement, "SELECT name FROM pragma_table_info('" + table + "')");
        if (!there.containsAll(columns)) {
            throw new StorageException(file + " is not a database of fuzzy hashes: "
                    + (there.isEmpty()
                            ? "it has no table " + table
                            : "its table " + table + " has the columns " + there.stream().sorted().toList()
                                    + " instead of " + columns.stream().sorted().toList()));
        }
    }

    private static Set<String> names(Statement statement, String query) throws SQLException {
        Set<String> names = new HashSet<>();
        try (ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                names.add(rows.getString(1));
            }
        }
        return names;
    }

    @Override
    public String name() {
        return file.toString();
    }

    @Override
    public long remaining(long after) throws StorageException {
        try (PreparedStatement count = connection.prepareStatement("SELECT count(*) FROM digests WHERE id > ?")) {
            count.setLong(1, after);
            try (ResultSet row = count.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
    }

    /** Changes with every batch that Rspamd or Weir applies, and with the sums of the rows. */
    @Override
    public long fingerprint() throws StorageException {
        long print = 0x57454952;
        try (Statement statement = connection.createStatement()) {
            print = mix(print, statement, "SELECT count(*), max(id), max(time), total(value), total(time) FROM digests",
                    5);
            if (tables.contains("sources")) {
                print = mix(print, statement, "SELECT count(*), total(version), max(last) FROM sources", 3);
            }
            if (tables.contains("weir_state")) {
                print = mix(print, statement, "SELECT max(value) FROM weir_state WHERE name = 'revision'", 1);
            }
            return print;
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
    }

    private static long mix(long print, Statement statement, String query, int columns) throws SQLException {
        long mixed = print;
        try (ResultSet row = statement.executeQuery(query)) {
            while (row.next()) {
                for (int i = 1; i <= columns; i++) {
                    long next = Double.doubleToLongBits(row.getDouble(i)) ^ row.getLong(i);
                    mixed = (mixed ^ next) * 0x9E3779B97F4A7C15L;
                    mixed ^= mixed >>> 32;
                }
            }
        }
        return mixed;
    }

    /** Returns the last update of Weir's log that is in the file; 0 for a file of Rspamd. */
    public long revision() throws StorageException {
        if (!tables.contains("weir_state")) {
            return 0;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT value FROM weir_state WHERE name = 'revision'")) {
            return row.next() ? row.getLong(1) : 0;
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
    }

    @Override
    public void read(long after, Sink sink, Omissions omissions) throws StorageException {
        boolean ours = tables.contains("weir_signatures");
        boolean renewals = tables.contains("weir_renewals");
        try (PreparedStatement digests = connection.prepareStatement("SELECT d.id, typeof(d.flag), d.flag, "
                + "CAST(d.digest AS BLOB), d.value, d.time, "
                + (ours ? "s.mask, s.shingles, s.head, " : "NULL, NULL, NULL, ")
                + (renewals ? "r.time, r.head " : "NULL, NULL ") + "FROM digests d "
                + (ours ? "LEFT JOIN weir_signatures s ON s.digest_id = d.id " : "")
                + (renewals ? "LEFT JOIN weir_renewals r ON r.digest_id = d.id " : "")
                + "WHERE d.id > ? ORDER BY d.id");
                ShingleRows shingles = ours
                        ? ShingleRows.seeking(connection)
                        : ShingleRows.sweeping(connection, after, omissions);
                FurtherFlags further = new FurtherFlags(connection, tables.contains("weir_flags"), after, omissions)) {
            digests.setLong(1, after);
            try (ResultSet row = digests.executeQuery()) {
                while (row.next()) {
                    one(row, shingles, further, sink, omissions);
                }
            }
            shingles.finish();
            further.finish();
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
    }

    private static void one(ResultSet row, ShingleRows shingles, FurtherFlags further, Sink sink, Omissions omissions)
            throws SQLException, StorageException {
        long id = row.getLong(1);
        byte[] digest = row.getBytes(4);
        boolean sound = digest != null && Columns.isDigest(digest);
        Signature signature = sound ? kept(row, digest) : null;
        if (signature == null) {
            signature = shingles.of(id, omissions);
        } else {
            shingles.skip(id);
        }
        if (!sound || digest == null) {
            omissions.count(Omission.ODD_DIGEST);
            further.drop(id);
            return;
        }
        long flag = row.getLong(3);
        if (!"integer".equals(row.getString(2)) || flag != (int) flag) {
            omissions.count(Omission.ODD_FLAG);
            further.drop(id);
            return;
        }
        FlagValue primary = new FlagValue((int) flag, row.getLong(5), row.getLong(6));
        List<FlagValue> others = further.of(id, (int) flag, digest);
        sink.accept(id, new StoredHash(Digest.read(digest, 0),
                others.isEmpty() ? List.of(primary) : Flags.arrange(primary, others), signature, renewed(row, digest)));
    }

    private static @Nullable Signature kept(ResultSet row, byte[] digest) throws SQLException {
        return Arrays.equals(row.getBytes(9), Columns.head(digest))
                ? Columns.signature(row.getBytes(8), row.getInt(7))
                : null;
    }

    private static long renewed(ResultSet row, byte[] digest) throws SQLException {
        return Arrays.equals(row.getBytes(11), Columns.head(digest)) ? row.getLong(10) : 0;
    }

    /** The rows of {@code weir_flags}, read in parallel with those of {@code digests}. */
    private static final class FurtherFlags implements AutoCloseable {
        private final @Nullable PreparedStatement statement;
        private final @Nullable ResultSet row;
        private final Omissions omissions;
        private boolean more;

        FurtherFlags(Connection connection, boolean exists, long after, Omissions omissions) throws SQLException {
            this.omissions = omissions;
            if (!exists) {
                statement = null;
                row = null;
                return;
            }
            statement = connection.prepareStatement("SELECT digest_id, flag, value, time, head FROM weir_flags "
                    + "WHERE digest_id > ? ORDER BY digest_id, flag");
            statement.setLong(1, after);
            row = statement.executeQuery();
            more = row.next();
        }

        /** Returns the rows of one digest. Rows of earlier ids are orphaned. */
        List<FlagValue> of(long id, int primary, byte[] digest) throws SQLException {
            if (row == null || !more || row.getLong(1) > id) {
                return List.of();
            }
            List<FlagValue> flags = new ArrayList<>();
            byte[] head = Columns.head(digest);
            while (more && row.getLong(1) <= id) {
                long flag = row.getLong(2);
                if (row.getLong(1) == id && flag != primary && flag == (int) flag
                        && Arrays.equals(row.getBytes(5), head)) {
                    flags.add(new FlagValue((int) flag, row.getLong(3), row.getLong(4)));
                } else {
                    omissions.count(Omission.STALE_FLAG);
                }
                more = row.next();
            }
            return flags;
        }

        void drop(long id) throws SQLException {
            while (row != null && more && row.getLong(1) <= id) {
                omissions.count(Omission.STALE_FLAG);
                more = row.next();
            }
        }

        void finish() throws SQLException {
            drop(Long.MAX_VALUE);
        }

        @Override
        public void close() throws SQLException {
            if (row != null) {
                row.close();
            }
            if (statement != null) {
                statement.close();
            }
        }
    }

    @Override
    public void close() throws StorageException {
        try {
            connection.close();
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "close", e);
        }
    }
}
