package dev.weir.storage.database.sqlite;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.BooleanSupplier;

import dev.weir.os.ThreadScheduling;
import dev.weir.storage.DatabaseDamagedException;
import dev.weir.storage.StorageException;
import dev.weir.storage.database.IntegrityCheck;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.ProgressHandler;

/**
 * A search for damage that reads all pages of a database once, in a low-priority thread, while a storage uses it. A
 * storage that started from its snapshot has not read them, and one that loaded the hashes has not read their shingles.
 * A failure to read for another reason is logged and ends the search.
 */
public final class DamageSearch implements IntegrityCheck {
    private static final Logger LOG = LoggerFactory.getLogger(DamageSearch.class);

    /** The number of SQLite's steps between two checks for the end, some milliseconds. */
    private static final int STEPS = 1_000;

    /** The page cache in KiB; negative in SQLite's notation. Each page is read about once. */
    private static final int CACHE = -4 * 1024;

    private final Path file;
    private final BooleanSupplier ended;
    private volatile boolean ending;
    private volatile String damage = "";

    /** Creates a search of a database file. Run {@link #run} in a thread. */
    public DamageSearch(Path file) {
        this(file, () -> false);
    }

    /**
     * Creates a search with another condition for its end.
     *
     * @param ended called every {@link #STEPS} steps
     */
    DamageSearch(Path file, BooleanSupplier ended) {
        this.file = file;
        this.ended = ended;
    }

    @Override
    public String damage() {
        return damage;
    }

    @Override
    public void end() {
        ending = true;
    }

    @Override
    public void run() {
        if (!ThreadScheduling.runInBackground()) {
            LOG.debug("the priority of {} cannot be lowered", Thread.currentThread().getName());
        }
        long start = System.nanoTime();
        try {
            damage = search();
        } catch (DatabaseDamagedException e) {
            damage = String.valueOf(e.getMessage());
        } catch (StorageException e) {
            if (!ending) {
                LOG.warn("{} could not be searched for damage: {}", file, e.getMessage(), e);
            }
            return;
        }
        if (damage.isEmpty() && ending) {
            return;
        }
        if (damage.isEmpty()) {
            LOG.info("searched {} for damage in {} ms and found none", file, (System.nanoTime() - start) / 1_000_000);
        } else {
            LOG.error("{} is damaged: {}. Checks and learns go on; the store has the hashes, and weir mirror builds "
                    + "the database again from it", file, damage);
        }
    }

    private String search() throws StorageException {
        if (ending) {
            return "";
        }
        try (Connection connection = ReadOnly.open(file); Statement statement = connection.createStatement()) {
            ProgressHandler.setHandler(connection, STEPS, new ProgressHandler() {
                @Override
                protected int progress() {
                    if (ended.getAsBoolean()) {
                        ending = true;
                    }
                    return ending ? 1 : 0;
                }
            });
            statement.execute("PRAGMA cache_size = " + CACHE);
            // One finding is enough, and SQLite may report it in several lines.
            try (ResultSet lines = statement.executeQuery("PRAGMA quick_check(1)")) {
                String line = lines.next() ? lines.getString(1) : "ok";
                return "ok".equals(line) ? "" : line.replaceAll("\\s+", " ").strip();
            } finally {
                ProgressHandler.clearHandler(connection);
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
    }
}
