package dev.weir.storage.transfer.sqlite;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

import dev.weir.model.Signature;
import dev.weir.storage.transfer.Omission;
import dev.weir.storage.transfer.Omissions;
import org.jspecify.annotations.Nullable;

/** The signatures in Rspamd's table of shingles, requested in ascending order of digest ids. */
abstract sealed class ShingleRows implements AutoCloseable {
    private final long[] values = new long[Signature.SLOTS];

    /**
     * Reads the whole table in parallel with the table of digests, for files in which most signatures are only there.
     */
    static ShingleRows sweeping(Connection connection, long after, Omissions omissions) throws SQLException {
        return new Sweeping(connection, after, omissions);
    }

    /**
     * Looks up single hashes, for a file of Weir, which keeps signatures elsewhere, so that only hashes that Rspamd
     * added later need a lookup. Shingles without a hash remain unnoticed.
     */
    static ShingleRows seeking(Connection connection) throws SQLException {
        return new Seeking(connection);
    }

    /** Returns the signature of one digest, partial if a later hash took slots away, or null. */
    abstract @Nullable Signature of(long id, Omissions omissions) throws SQLException;

    /** Skips a digest whose signature is known. */
    abstract void skip(long id) throws SQLException;

    /** Counts the rows after the last digest. */
    abstract void finish() throws SQLException;

    @Override
    public abstract void close() throws SQLException;

    /** Returns the mask with the slot of the current row. */
    final int take(ResultSet row, int number, int value, int mask, Omissions omissions) throws SQLException {
        long slot = row.getLong(number);
        if (slot < 0 || slot >= Signature.SLOTS) {
            omissions.count(Omission.ODD_SLOT);
            return mask;
        }
        if (((mask >>> slot) & 1) != 0) {
            // Without the unique index, a slot may occur twice. The later row is the one that Rspamd wrote last.
            omissions.count(Omission.ODD_SLOT);
        }
        values[(int) slot] = row.getLong(value);
        return mask | (1 << slot);
    }

    final @Nullable Signature signature(int mask) {
        if (mask == 0) {
            return null;
        }
        if (mask != Signature.ALL_SLOTS) {
            for (int i = 0; i < Signature.SLOTS; i++) {
                if (((mask >>> i) & 1) == 0) {
                    values[i] = 0;
                }
            }
        }
        return Signature.partial(values, 0, mask);
    }

    private static final class Sweeping extends ShingleRows {
        private final PreparedStatement statement;
        private final ResultSet row;
        private final Omissions omissions;
        private boolean more;
        private long id;

        Sweeping(Connection connection, long after, Omissions omissions) throws SQLException {
            this.omissions = omissions;
            if (after == Long.MIN_VALUE) {
                countOwnerless(connection);
            }
            statement = connection.prepareStatement(
                    "SELECT digest_id, number, value FROM shingles WHERE digest_id > ? ORDER BY digest_id");
            statement.setLong(1, after);
            row = statement.executeQuery();
            advance();
        }

        private void countOwnerless(Connection connection) throws SQLException {
            try (PreparedStatement count = connection
                    .prepareStatement("SELECT count(*) FROM shingles WHERE digest_id IS NULL");
                    ResultSet found = count.executeQuery()) {
                omissions.add(Omission.ORPHAN_SHINGLE, found.next() ? found.getLong(1) : 0);
            }
        }

        private void advance() throws SQLException {
            more = row.next();
            if (more) {
                id = row.getLong(1);
            }
        }

        private void orphansBefore(long limit) throws SQLException {
            while (more && id < limit) {
                omissions.count(Omission.ORPHAN_SHINGLE);
                advance();
            }
        }

        @Override
        @Nullable
        Signature of(long digest, Omissions counted) throws SQLException {
            orphansBefore(digest);
            int mask = 0;
            while (more && id == digest) {
                mask = take(row, 2, 3, mask, counted);
                advance();
            }
            return signature(mask);
        }

        @Override
        void skip(long digest) throws SQLException {
            orphansBefore(digest);
            while (more && id == digest) {
                advance();
            }
        }

        @Override
        void finish() throws SQLException {
            while (more) {
                omissions.count(Omission.ORPHAN_SHINGLE);
                advance();
            }
        }

        @Override
        public void close() throws SQLException {
            row.close();
            statement.close();
        }
    }

    private static final class Seeking extends ShingleRows {
        private final PreparedStatement statement;

        Seeking(Connection connection) throws SQLException {
            statement = connection.prepareStatement("SELECT number, value FROM shingles WHERE digest_id = ?");
        }

        @Override
        @Nullable
        Signature of(long digest, Omissions omissions) throws SQLException {
            int mask = 0;
            statement.setLong(1, digest);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    mask = take(row, 1, 2, mask, omissions);
                }
            }
            return signature(mask);
        }

        @Override
        void skip(long digest) {
            // Nothing was read of it.
        }

        @Override
        void finish() {
            // Nothing can be left.
        }

        @Override
        public void close() throws SQLException {
            statement.close();
        }
    }
}
