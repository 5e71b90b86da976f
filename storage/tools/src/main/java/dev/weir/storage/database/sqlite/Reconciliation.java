package dev.weir.storage.database.sqlite;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.storage.StorageException;

/**
 * The adaptation of Weir's tables to Rspamd's when a file is opened, because Rspamd may have used the file meanwhile.
 *
 * <p>Rspamd's tables take precedence. Hashes that it deleted are gone (its own cascade does that, unless a tool deleted
 * with foreign keys off). A flag that it wrote into the {@code digests} row replaces Weir's value of that flag.
 * Signatures of hashes that it added are copied. A hash that lost slots to a later one in Rspamd keeps the remaining
 * slots, with a mask of them. Afterwards the content is no longer that of an update log alone, so the running checksum
 * of the log is removed.
 */
final class Reconciliation {
    private static final int SIGNATURES_AT_ONCE = 5_000;

    /** A digest of the usual length. Other rows are ignored. */
    private static final String IS_DIGEST = "length(CAST(d.digest AS BLOB)) = " + Digest.BYTES;

    private record Known(long id, Digest digest) {}

    private final Connection connection;
    private final RowUpdates rows;
    private final Transactions transactions;

    Reconciliation(Connection connection, RowUpdates rows, Transactions transactions) {
        this.connection = connection;
        this.rows = rows;
        this.transactions = transactions;
    }

    void run() throws StorageException {
        transactions.run("write to", () -> {
            try (Statement statement = connection.createStatement()) {
                for (String table : List.of("weir_flags", "weir_signatures", "weir_renewals", "weir_audit")) {
                    statement.execute("DELETE FROM " + table + " WHERE NOT EXISTS (SELECT 1 FROM digests d "
                            + "WHERE d.id = digest_id AND substr(CAST(d.digest AS BLOB), 1, " + Columns.HEAD
                            + ") = head)");
                }
                statement.execute("DELETE FROM weir_flags WHERE EXISTS (SELECT 1 FROM digests d "
                        + "WHERE d.id = digest_id AND d.flag = weir_flags.flag)");
            }
            promote();
            rows.putHistory(OptionalLong.empty());
            rows.noteSources();
            return true;
        });
        long last = Long.MIN_VALUE;
        boolean more = true;
        while (more) {
            long from = last;
            List<Known> missing = transactions.run("write to", () -> copySignatures(from));
            more = missing.size() == SIGNATURES_AT_ONCE;
            last = missing.isEmpty() ? last : missing.getLast().id();
        }
    }

    private void promote() throws SQLException {
        record Lower(long id, FlagValue primary, Digest digest) {}
        List<Lower> lower = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT DISTINCT d.id, d.flag, d.value, d.time, "
                        + "CAST(d.digest AS BLOB) FROM weir_flags f JOIN digests d ON d.id = f.digest_id "
                        + "WHERE f.value > coalesce(d.value, 0) AND " + IS_DIGEST)) {
            while (found.next()) {
                lower.add(new Lower(found.getLong(1),
                        new FlagValue(found.getInt(2), found.getLong(3), found.getLong(4)),
                        Digest.read(found.getBytes(5), 0)));
            }
        }
        for (Lower row : lower) {
            rows.promote(row.id(), row.primary(), row.digest().toBytes());
        }
    }

    private List<Known> copySignatures(long after) throws SQLException {
        List<Known> missing = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement("SELECT d.id, CAST(d.digest AS BLOB) FROM digests d "
                + "WHERE d.id > ? AND " + IS_DIGEST
                + " AND NOT EXISTS (SELECT 1 FROM weir_signatures s WHERE s.digest_id = d.id) "
                + "AND EXISTS (SELECT 1 FROM shingles h WHERE h.digest_id = d.id) ORDER BY d.id LIMIT ?")) {
            query.setLong(1, after);
            query.setInt(2, SIGNATURES_AT_ONCE);
            try (ResultSet found = query.executeQuery()) {
                while (found.next()) {
                    missing.add(new Known(found.getLong(1), Digest.read(found.getBytes(2), 0)));
                }
            }
        }
        try (PreparedStatement query = connection
                .prepareStatement("SELECT number, value FROM shingles WHERE digest_id = ?")) {
            long[] values = new long[Signature.SLOTS];
            for (Known hash : missing) {
                int mask = 0;
                query.setLong(1, hash.id());
                try (ResultSet found = query.executeQuery()) {
                    while (found.next()) {
                        int slot = found.getInt(1);
                        if (slot >= 0 && slot < Signature.SLOTS) {
                            values[slot] = found.getLong(2);
                            mask |= 1 << slot;
                        }
                    }
                }
                rows.keepSignature(hash.id(), hash.digest().toBytes(), Signature.partial(values, 0, mask));
            }
        }
        return missing;
    }
}
