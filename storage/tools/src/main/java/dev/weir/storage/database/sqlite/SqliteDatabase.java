package dev.weir.storage.database.sqlite;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.failure.Reason;
import dev.weir.storage.AuditEntry;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.UpdateBatch;
import dev.weir.storage.database.HashDatabase;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rspamd's {@code fuzzy.db}. The backend opens it unchanged, and leaves it so that Rspamd can open it again
 * (docs/reference/storage.md#sqlite-backend).
 *
 * <p>The write-ahead log is synced at every commit ({@code synchronous=FULL}), whereas Rspamd syncs at checkpoints
 * only. Other differences are in tables named {@code weir_…}, which Rspamd ignores.
 */
public final class SqliteDatabase implements HashDatabase {
    private static final Logger LOG = LoggerFactory.getLogger(SqliteDatabase.class);

    /** The time for which a statement waits for another writing program, in milliseconds. */
    private static final int BUSY_TIMEOUT = 2_000;

    /** The page cache in KiB; negative in SQLite's notation. */
    private static final int CACHE = -256 * 1024;

    private static final int PROGRESS_STEP = 20_000;

    /** The number of digests in a sample for estimates. Counting would read gigabytes and cost seconds of a start. */
    private static final int SAMPLE = 200;

    /**
     * The number of free pages from which on compacting is worthwhile; the next constant, the minimum share of all
     * pages.
     */
    private static final int COMPACT_PAGES = 2_048;
    private static final int COMPACT_SHARE = 4;

    private final Path file;
    private final Connection connection;
    private final Transactions transactions;
    private final RowUpdates rows;
    private final AuditRows audit;

    private SqliteDatabase(Path file, Connection connection, Transactions transactions, RowUpdates rows,
            AuditRows audit) {
        this.file = file;
        this.connection = connection;
        this.transactions = transactions;
        this.rows = rows;
        this.audit = audit;
    }

    /**
     * Opens or creates a database.
     *
     * @throws StorageException if it cannot be written, is locked or damaged, or is not the database of a fuzzy storage
     */
    public static SqliteDatabase open(Path file) throws StorageException {
        return open(file, true);
    }

    /**
     * Opens a database that no program has written to since {@link #close}, as {@link SqliteFile#fingerprint} shows.
     * This skips the search for Rspamd's changes, for which {@link #open} reads the whole file.
     *
     * @throws StorageException as {@link #open}
     */
    public static SqliteDatabase reopen(Path file) throws StorageException {
        return open(file, false);
    }

    private static SqliteDatabase open(Path file, boolean reconcile) throws StorageException {
        try {
            Connection connection = Writable.open(file);
            try {
                return open(file, connection, reconcile);
            } catch (Throwable e) {
                closeQuietly(connection);
                throw e;
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "open", e);
        }
    }

    private static SqliteDatabase open(Path file, Connection connection, boolean reconcile)
            throws SQLException, StorageException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = " + BUSY_TIMEOUT);
            statement.execute("PRAGMA journal_mode = WAL");
            statement.execute("PRAGMA synchronous = FULL");
            statement.execute("PRAGMA foreign_keys = ON");
            statement.execute("PRAGMA cache_size = " + CACHE);
        }
        Transactions transactions = new Transactions(connection, file);
        transactions.run("open", () -> {
            Schema.prepare(connection, file);
            return true;
        });
        RowUpdates rows = new RowUpdates(connection);
        if (reconcile) {
            new Reconciliation(connection, rows, transactions).run();
        }
        return new SqliteDatabase(file, connection, transactions, rows, new AuditRows(connection));
    }

    private static void closeQuietly(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            LOG.warn("closing a database that could not be opened failed", e);
        }
    }

    @Override
    public long count() throws StorageException {
        try (Statement statement = connection.createStatement()) {
            return Schema.number(statement, "SELECT count(*) FROM digests");
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
    }

    @Override
    public double signedShare() throws StorageException {
        try (Statement statement = connection.createStatement()) {
            return (double) Schema.number(statement,
                    "WITH RECURSIVE sample(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM sample "
                            + "WHERE i < " + SAMPLE
                            + " - 1), ends(low, high) AS (SELECT min(id), max(id) FROM digests) "
                            + "SELECT count(*) FROM sample JOIN weir_signatures s ON s.digest_id = "
                            + "(SELECT id FROM digests, ends "
                            + "WHERE id >= low + (high - low) * i / (" + SAMPLE + " - 1) ORDER BY id LIMIT 1)")
                    / SAMPLE;
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
    }

    @Override
    public long revision() throws StorageException {
        try {
            return state("revision");
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
    }

    @Override
    public long storageId() throws StorageException {
        try {
            return state("storage");
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
    }

    @Override
    public void adopt(long storageId) throws StorageException {
        if (revision() != 0 || count() != 0) {
            throw new StorageException(file + " has hashes already");
        }
        transactions.run("write to", () -> {
            rows.putState("storage", storageId);
            return true;
        });
    }

    @Override
    public void renumber() throws StorageException {
        transactions.run("write to", () -> {
            rows.putState("storage", new SecureRandom().nextLong());
            rows.putHistory(OptionalLong.empty());
            return true;
        });
    }

    @Override
    public OptionalLong history() throws StorageException {
        try (PreparedStatement statement = connection
                .prepareStatement("SELECT value FROM weir_state WHERE name = ?")) {
            statement.setString(1, Schema.HISTORY);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? OptionalLong.of(row.getLong(1)) : OptionalLong.empty();
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
    }

    @Override
    public void keepHistory(long checksum) throws StorageException {
        transactions.run("write to", () -> {
            rows.putHistory(OptionalLong.of(checksum));
            return true;
        });
    }

    private long state(String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT value FROM weir_state WHERE name = ?")) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        }
    }

    @Override
    public void load(Consumer<StoredHash> hashes, LongConsumer progress) throws StorageException {
        long done = 0;
        long strange = 0;
        try (Statement digests = connection.createStatement();
                Statement extras = connection.createStatement();
                ResultSet row = digests.executeQuery("SELECT d.id, d.flag, CAST(d.digest AS BLOB), d.value, d.time, "
                        + "s.mask, s.shingles, r.time FROM digests d "
                        + "LEFT JOIN weir_signatures s ON s.digest_id = d.id "
                        + "LEFT JOIN weir_renewals r ON r.digest_id = d.id "
                        + "WHERE typeof(d.digest) = 'text' ORDER BY d.id");
                ResultSet extra = extras.executeQuery(
                        "SELECT digest_id, flag, value, time FROM weir_flags ORDER BY digest_id, flag")) {
            boolean moreExtras = extra.next();
            while (row.next()) {
                long id = row.getLong(1);
                List<FlagValue> flags = new ArrayList<>(1);
                flags.add(new FlagValue(row.getInt(2), row.getLong(4), row.getLong(5)));
                while (moreExtras && extra.getLong(1) <= id) {
                    if (extra.getLong(1) == id) {
                        flags.add(new FlagValue(extra.getInt(2), extra.getLong(3), extra.getLong(4)));
                    }
                    moreExtras = extra.next();
                }
                byte[] digest = row.getBytes(3);
                if (!Columns.isDigest(digest)) {
                    strange++;
                    continue;
                }
                int mask = row.getInt(6);
                byte[] shingles = row.getBytes(7);
                hashes.accept(new StoredHash(Digest.read(digest, 0), flags, Columns.signature(shingles, mask),
                        row.getLong(8)));
                done++;
                if (done % PROGRESS_STEP == 0) {
                    progress.accept(done);
                }
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
        progress.accept(done);
        if (strange > 0) {
            LOG.warn("{} rows of {} have a digest that is not 64 bytes long and were left out", strange, file);
        }
    }

    @Override
    public void apply(UpdateBatch batch) throws StorageException {
        transactions.run("write to", () -> {
            // Read each time, because after a failure it is unknown whether the previous transaction was committed.
            long reached = state("revision");
            if (batch.first() > reached + 1) {
                throw new IllegalArgumentException(
                        "updates " + (reached + 1) + " to " + (batch.first() - 1) + " are missing");
            }
            int done = (int) Math.min(reached + 1 - batch.first(), batch.updates().size());
            if (done < batch.updates().size()) {
                rows.begin();
                for (int i = done; i < batch.updates().size(); i++) {
                    rows.apply(batch.updates().get(i));
                    Optional<AuditEntry> arrival = batch.arrivals().get(i);
                    if (arrival.isPresent()) {
                        audit.add(batch.first() + i, batch.updates().get(i), arrival.get());
                    }
                }
                rows.flush();
                rows.bumpSource(batch.time());
                rows.putState("revision", batch.last());
                rows.putHistory(batch.history());
            }
            return true;
        });
    }

    @Override
    public boolean compact(long spare) throws StorageException {
        try (Statement statement = connection.createStatement()) {
            long pages = Schema.number(statement, "PRAGMA page_count");
            long free = Schema.number(statement, "PRAGMA freelist_count");
            if (free < COMPACT_PAGES || free * COMPACT_SHARE < pages) {
                return false;
            }
            Room room = Room.toCompact(file, (pages - free) * Schema.number(statement, "PRAGMA page_size"), spare);
            if (room.isMissing()) {
                LOG.warn("{} is not compacted although {} of its {} pages are free: {}", file, free, pages,
                        room.reason());
                return false;
            }
            try {
                statement.execute("VACUUM");
            } finally {
                // Also after a failure, which may leave gigabytes in the write-ahead log.
                statement.execute("PRAGMA wal_checkpoint(TRUNCATE)");
            }
            return true;
        } catch (IOException e) {
            throw new StorageException("cannot compact " + file + ": " + Reason.of(e, file), e);
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "compact", e);
        }
    }

    @Override
    public void close() throws StorageException {
        try (connection) {
            rows.close();
            audit.close();
            try (Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA wal_checkpoint(TRUNCATE)");
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "close", e);
        }
    }
}
