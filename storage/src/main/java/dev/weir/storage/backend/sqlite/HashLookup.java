package dev.weir.storage.backend.sqlite;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import org.jspecify.annotations.Nullable;

/** A lookup of single hashes in a database, with or without Weir's tables. */
final class HashLookup implements AutoCloseable {
    private final Path file;
    private final PreparedStatement row;
    private final PreparedStatement shingles;
    private final @Nullable PreparedStatement flags;
    private final @Nullable PreparedStatement signature;
    private final @Nullable PreparedStatement renewal;

    /** Prepares the queries on a connection, which the caller keeps. */
    HashLookup(Connection connection, Path file) throws StorageException {
        this.file = file;
        try (Statement statement = connection.createStatement()) {
            Set<String> tables = Schema.tables(statement);
            row = connection.prepareStatement(
                    "SELECT id, flag, value, time FROM digests WHERE digest = CAST(? AS TEXT)");
            shingles = connection.prepareStatement("SELECT number, value FROM shingles WHERE digest_id = ?");
            flags = tables.contains("weir_flags")
                    ? connection.prepareStatement("SELECT flag, value, time FROM weir_flags WHERE digest_id = ? "
                            + "AND head = ? ORDER BY flag")
                    : null;
            signature = tables.contains("weir_signatures")
                    ? connection.prepareStatement(
                            "SELECT mask, shingles FROM weir_signatures WHERE digest_id = ? AND head = ?")
                    : null;
            renewal = tables.contains("weir_renewals")
                    ? connection.prepareStatement("SELECT time FROM weir_renewals WHERE digest_id = ? AND head = ?")
                    : null;
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
    }

    /** Returns the hash of a digest, or null. */
    @Nullable
    StoredHash find(Digest digest) throws StorageException {
        try {
            return hash(digest);
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
    }

    private @Nullable StoredHash hash(Digest digest) throws SQLException {
        byte[] bytes = digest.toBytes();
        row.setBytes(1, bytes);
        long id;
        List<FlagValue> all = new ArrayList<>(1);
        try (ResultSet found = row.executeQuery()) {
            if (!found.next()) {
                return null;
            }
            id = found.getLong(1);
            all.add(new FlagValue(found.getInt(2), found.getLong(3), found.getLong(4)));
        }
        byte[] head = Columns.head(bytes);
        if (flags != null) {
            flags.setLong(1, id);
            flags.setBytes(2, head);
            try (ResultSet found = flags.executeQuery()) {
                while (found.next()) {
                    if (found.getInt(1) != all.getFirst().flag()) {
                        all.add(new FlagValue(found.getInt(1), found.getLong(2), found.getLong(3)));
                    }
                }
            }
        }
        Signature whole = kept(id, head);
        return new StoredHash(digest, all, whole == null ? owned(id) : whole, renewed(id, head));
    }

    private long renewed(long id, byte[] head) throws SQLException {
        if (renewal == null) {
            return 0;
        }
        renewal.setLong(1, id);
        renewal.setBytes(2, head);
        try (ResultSet found = renewal.executeQuery()) {
            return found.next() ? found.getLong(1) : 0;
        }
    }

    private @Nullable Signature kept(long id, byte[] head) throws SQLException {
        if (signature == null) {
            return null;
        }
        signature.setLong(1, id);
        signature.setBytes(2, head);
        try (ResultSet found = signature.executeQuery()) {
            if (!found.next()) {
                return null;
            }
            return Columns.signature(found.getBytes(2), found.getInt(1));
        }
    }

    /** Returns the signature from Rspamd's table: the slots that no later hash has taken. */
    private @Nullable Signature owned(long id) throws SQLException {
        long[] values = new long[Signature.SLOTS];
        int mask = 0;
        shingles.setLong(1, id);
        try (ResultSet found = shingles.executeQuery()) {
            while (found.next()) {
                int slot = found.getInt(1);
                if (slot >= 0 && slot < Signature.SLOTS) {
                    values[slot] = found.getLong(2);
                    mask |= 1 << slot;
                }
            }
        }
        return mask == 0 ? null : Signature.partial(values, 0, mask);
    }

    @Override
    public void close() throws StorageException {
        try {
            for (PreparedStatement statement : Arrays.asList(row, shingles, flags, signature, renewal)) {
                if (statement != null) {
                    statement.close();
                }
            }
        } catch (SQLException e) {
            throw SqliteErrors.of(file, "read", e);
        }
    }
}
