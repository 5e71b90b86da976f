package dev.weir.storage.transfer.sqlite;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.backend.sqlite.HashLookup;
import dev.weir.storage.backend.sqlite.ReadOnly;
import dev.weir.storage.backend.sqlite.SqliteErrors;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Omissions;
import org.jspecify.annotations.Nullable;

/**
 * A target that counts what an import into a database would do, and writes nothing. A storage may be running on the
 * database. A digest that occurs twice in the source counts as new twice.
 */
public final class DryRunTarget implements HashTarget {
    private final Path file;
    private final @Nullable Connection connection;
    private final @Nullable HashLookup lookup;
    private Merge merge = Merge.MAX;

    private DryRunTarget(Path file, @Nullable Connection connection, @Nullable HashLookup lookup) {
        this.file = file;
        this.connection = connection;
        this.lookup = lookup;
    }

    /** Opens the database for reading. A missing one counts as empty. */
    public static DryRunTarget open(Path file) throws StorageException {
        if (!Files.exists(file)) {
            return new DryRunTarget(file, null, null);
        }
        Connection connection = ReadOnly.open(file);
        return new DryRunTarget(file, connection, new HashLookup(connection, file));
    }

    @Override
    public String name() {
        return file.toString();
    }

    @Override
    public long begin(Plan plan) {
        merge = plan.merge();
        return HashSource.START;
    }

    @Override
    public Written write(List<Item> items, Omissions omissions) throws StorageException {
        long added = 0;
        long merged = 0;
        for (Item item : items) {
            StoredHash there = lookup == null ? null : lookup.find(item.hash().digest());
            if (there == null) {
                added++;
            } else if (!merge.merge(there, item.hash()).equals(there)) {
                merged++;
            }
        }
        return new Written(added, merged, items.size() - added - merged);
    }

    @Override
    public void finish() {
        // Nothing was begun.
    }

    @Override
    public void close() throws StorageException {
        try {
            if (lookup != null) {
                lookup.close();
            }
            if (connection != null) {
                connection.close();
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "close", e);
        }
    }
}
