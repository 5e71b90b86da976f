package dev.weir.storage.database.sqlite;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import org.jspecify.annotations.Nullable;

/**
 * The encoding of single updates as rows. A {@code digests} row contains the primary flag of its digest, and {@code
 * weir_flags} the others. A signature is in {@code shingles}, where a later hash takes over equal slots as in Rspamd,
 * and complete in {@code weir_signatures}.
 */
final class RowUpdates implements AutoCloseable {
    /** Rows of shingles in one statement. A call into SQLite costs about as much as a row. */
    private static final int SLOTS_AT_ONCE = 64;

    private record Row(long id, FlagValue primary) {}

    /** A row of Rspamd's table of shingles. */
    private record Slot(long value, int number, long id) {
        static final Comparator<Slot> ORDER = Comparator.comparingLong(Slot::value).thenComparingInt(Slot::number);
    }

    /** What is known of a stored signature: its slots, and whether it has side hashes. */
    private record Kept(int slots, boolean sides) {
        static final Kept NOTHING = new Kept(0, false);
    }

    /** Signatures of this batch whose shingles are not written yet, by id, in order of arrival. */
    private final Map<Long, Signature> shingles = new LinkedHashMap<>();

    private final PreparedStatement find;
    private final PreparedStatement insert;
    private final PreparedStatement update;
    private final PreparedStatement remove;
    private final PreparedStatement flag;
    private final PreparedStatement bestFlag;
    private final PreparedStatement putFlag;
    private final PreparedStatement removeFlag;
    private final PreparedStatement mask;
    private final PreparedStatement putSignature;
    private final PreparedStatement putShingle;
    private final PreparedStatement putShingles;
    private final PreparedStatement removeShingles;
    private final PreparedStatement renewed;
    private final PreparedStatement renew;
    private final PreparedStatement bumpSource;
    private final PreparedStatement putState;
    private final PreparedStatement removeState;
    private final PreparedStatement noteSources;

    RowUpdates(Connection connection) throws SQLException {
        // A digest is 64 raw bytes of storage class TEXT. Bound as a blob it would never compare equal
        // (docs/reference/storage.md#digest-column).
        find = connection.prepareStatement(
                "SELECT id, flag, value, time FROM digests WHERE digest = CAST(? AS TEXT)");
        insert = connection.prepareStatement(
                "INSERT INTO digests(flag, digest, value, time) VALUES (?, CAST(? AS TEXT), ?, ?) RETURNING id");
        update = connection.prepareStatement("UPDATE digests SET flag = ?, value = ?, time = ? WHERE id = ?");
        remove = connection.prepareStatement("DELETE FROM digests WHERE id = ?");
        flag = connection.prepareStatement("SELECT flag, value, time FROM weir_flags WHERE digest_id = ? AND flag = ?");
        bestFlag = connection.prepareStatement("SELECT flag, value, time FROM weir_flags WHERE digest_id = ? "
                + "ORDER BY value DESC, flag ASC LIMIT 1");
        putFlag = connection.prepareStatement(
                "INSERT OR REPLACE INTO weir_flags(digest_id, flag, value, time, head) VALUES (?, ?, ?, ?, ?)");
        removeFlag = connection.prepareStatement("DELETE FROM weir_flags WHERE digest_id = ? AND flag = ?");
        mask = connection.prepareStatement(
                "SELECT mask, length(shingles) FROM weir_signatures WHERE digest_id = ?");
        putSignature = connection.prepareStatement(
                "INSERT OR REPLACE INTO weir_signatures(digest_id, mask, shingles, head) VALUES (?, ?, ?, ?)");
        String row = "(?, ?, ?)";
        String into = "INSERT OR REPLACE INTO shingles(value, number, digest_id) VALUES ";
        putShingle = connection.prepareStatement(into + row);
        putShingles = connection.prepareStatement(into + String.join(", ", Collections.nCopies(SLOTS_AT_ONCE, row)));
        removeShingles = connection.prepareStatement("DELETE FROM shingles WHERE digest_id = ?");
        renewed = connection.prepareStatement("SELECT time FROM weir_renewals WHERE digest_id = ?");
        renew = connection.prepareStatement("INSERT INTO weir_renewals(digest_id, time, head) VALUES (?, ?, ?) "
                + "ON CONFLICT(digest_id) DO UPDATE SET time = max(time, excluded.time)");
        bumpSource = connection.prepareStatement("INSERT INTO sources(name, version, last) VALUES ('local', 1, ?1) "
                + "ON CONFLICT(name) DO UPDATE SET version = version + 1, last = ?1");
        putState = connection.prepareStatement("INSERT OR REPLACE INTO weir_state(name, value) VALUES (?, ?)");
        removeState = connection.prepareStatement("DELETE FROM weir_state WHERE name = ?");
        noteSources = connection.prepareStatement("INSERT OR REPLACE INTO weir_state(name, value) "
                + "SELECT '" + Schema.SEEN_SOURCES + "', now FROM (" + Schema.SUM_OF_SOURCES + ") "
                + "WHERE NOT EXISTS (SELECT 1 FROM weir_state WHERE name = '" + Schema.SEEN_SOURCES
                + "' AND value = now)");
    }

    void apply(Update change) throws SQLException {
        switch (change) {
            case Update.Write write -> write(write);
            case Update.Delete delete -> delete(delete.digest(), delete.flag());
            case Update.DeleteAll delete -> deleteAll(delete.digest());
            case Update.Refresh refresh -> refresh(refresh);
            case Update.Expire expire -> expire(expire);
        }
    }

    private void write(Update.Write write) throws SQLException {
        byte[] digest = write.digest().toBytes();
        Row row = find(digest);
        if (row == null) {
            long id = insert(digest, new FlagValue(write.flag(), write.weight(), write.time()));
            if (write.signature() != null) {
                putSignature(id, digest, write.signature());
            }
            return;
        }
        if (row.primary().flag() == write.flag()) {
            FlagValue primary = row.primary().plus(write.weight(), write.time());
            update(row.id(), primary);
            promote(row.id(), primary, digest);
        } else {
            FlagValue old = flag(row.id(), write.flag());
            putFlag(row.id(), old == null
                    ? new FlagValue(write.flag(), write.weight(), write.time())
                    : old.plus(write.weight(), write.time()), digest);
            promote(row.id(), row.primary(), digest);
        }
        Signature signature = write.signature();
        if (signature != null) {
            Kept kept = kept(row.id());
            if (kept.slots() != Signature.ALL_SLOTS || signature.addsSides(kept.sides())) {
                putSignature(row.id(), digest, signature);
            }
        }
    }

    private void delete(Digest digest, int flag) throws SQLException {
        byte[] bytes = digest.toBytes();
        Row row = find(bytes);
        if (row == null) {
            return;
        }
        if (row.primary().flag() != flag) {
            removeFlag(row.id(), flag);
            return;
        }
        FlagValue next = bestFlag(row.id());
        if (next == null) {
            remove(row);
        } else {
            removeFlag(row.id(), next.flag());
            update(row.id(), next);
        }
    }

    private void refresh(Update.Refresh refresh) throws SQLException {
        byte[] digest = refresh.digest().toBytes();
        Row row = find(digest);
        if (row != null) {
            renew(row.id(), digest, refresh.time());
        }
    }

    private void expire(Update.Expire expire) throws SQLException {
        Row row = find(expire.digest().toBytes());
        if (row == null) {
            return;
        }
        FlagValue value = row.primary().flag() == expire.flag() ? row.primary() : flag(row.id(), expire.flag());
        if (value != null && Math.max(value.time(), renewed(row.id())) < expire.before()) {
            delete(expire.digest(), expire.flag());
        }
    }

    private long renewed(long id) throws SQLException {
        renewed.setLong(1, id);
        try (ResultSet rows = renewed.executeQuery()) {
            return rows.next() ? rows.getLong(1) : 0;
        }
    }

    void renew(long id, byte[] digest, long time) throws SQLException {
        renew.setLong(1, id);
        renew.setLong(2, time);
        renew.setBytes(3, Columns.head(digest));
        renew.executeUpdate();
    }

    private void deleteAll(Digest digest) throws SQLException {
        Row row = find(digest.toBytes());
        if (row != null) {
            remove(row);
        }
    }

    /** Deletes a digest. Cascades delete everything that belongs to it. */
    private void remove(Row row) throws SQLException {
        shingles.remove(row.id());
        remove.setLong(1, row.id());
        remove.executeUpdate();
    }

    /** Puts the flag with the highest value into the digests row. An equal value does not replace it. */
    void promote(long id, FlagValue primary, byte[] digest) throws SQLException {
        FlagValue best = bestFlag(id);
        if (best != null && best.value() > primary.value()) {
            removeFlag(id, best.flag());
            putFlag(id, primary, digest);
            update(id, best);
        }
    }

    private @Nullable Row find(byte[] digest) throws SQLException {
        find.setBytes(1, digest);
        try (ResultSet rows = find.executeQuery()) {
            return rows.next()
                    ? new Row(rows.getLong(1), new FlagValue(rows.getInt(2), rows.getLong(3), rows.getLong(4)))
                    : null;
        }
    }

    private long insert(byte[] digest, FlagValue value) throws SQLException {
        insert.setInt(1, value.flag());
        insert.setBytes(2, digest);
        insert.setLong(3, value.value());
        insert.setLong(4, value.time());
        try (ResultSet rows = insert.executeQuery()) {
            if (!rows.next()) {
                throw new SQLException("no id for a new digest");
            }
            return rows.getLong(1);
        }
    }

    void update(long id, FlagValue value) throws SQLException {
        update.setInt(1, value.flag());
        update.setLong(2, value.value());
        update.setLong(3, value.time());
        update.setLong(4, id);
        update.executeUpdate();
    }

    private @Nullable FlagValue flag(long id, int number) throws SQLException {
        flag.setLong(1, id);
        flag.setInt(2, number);
        return one(flag);
    }

    private @Nullable FlagValue bestFlag(long id) throws SQLException {
        bestFlag.setLong(1, id);
        return one(bestFlag);
    }

    private static @Nullable FlagValue one(PreparedStatement query) throws SQLException {
        try (ResultSet rows = query.executeQuery()) {
            return rows.next() ? new FlagValue(rows.getInt(1), rows.getLong(2), rows.getLong(3)) : null;
        }
    }

    void putFlag(long id, FlagValue value, byte[] digest) throws SQLException {
        putFlag.setLong(1, id);
        putFlag.setInt(2, value.flag());
        putFlag.setLong(3, value.value());
        putFlag.setLong(4, value.time());
        putFlag.setBytes(5, Columns.head(digest));
        putFlag.executeUpdate();
    }

    private void removeFlag(long id, int number) throws SQLException {
        removeFlag.setLong(1, id);
        removeFlag.setInt(2, number);
        removeFlag.executeUpdate();
    }

    private Kept kept(long id) throws SQLException {
        mask.setLong(1, id);
        try (ResultSet rows = mask.executeQuery()) {
            return rows.next() ? new Kept(rows.getInt(1), Columns.hasSides(rows.getInt(2))) : Kept.NOTHING;
        }
    }

    private void putSignature(long id, byte[] digest, Signature signature) throws SQLException {
        keepSignature(id, digest, signature);
        // Rows without a digest may exist under an id that SQLite reuses.
        removeShingles(id);
        // Reinserted at the end, because a later signature takes over equal slots.
        shingles.remove(id);
        shingles.put(id, signature);
    }

    /** Discards what {@link #flush} would write, because its transaction was rolled back. */
    void begin() {
        shingles.clear();
    }

    /**
     * Writes the shingles of all signatures since {@link #begin}, in the order of Rspamd's unique index on them. In any
     * other order, the 32 rows of a hash would each touch another page, and the same page many times in a batch.
     */
    void flush() throws SQLException {
        List<Slot> slots = new ArrayList<>(shingles.size() * Signature.SLOTS);
        shingles.forEach((id, signature) -> {
            for (int i = 0; i < Signature.SLOTS; i++) {
                if (signature.has(i)) {
                    slots.add(new Slot(signature.value(i), i, id));
                }
            }
        });
        shingles.clear();
        // The sort is stable, so the later one of equal slots is written last.
        slots.sort(Slot.ORDER);
        int done = 0;
        for (; slots.size() - done >= SLOTS_AT_ONCE; done += SLOTS_AT_ONCE) {
            put(slots.subList(done, done + SLOTS_AT_ONCE), putShingles);
        }
        for (; done < slots.size(); done++) {
            put(slots.subList(done, done + 1), putShingle);
        }
    }

    private static void put(List<Slot> slots, PreparedStatement statement) throws SQLException {
        int parameter = 0;
        for (Slot slot : slots) {
            statement.setLong(++parameter, slot.value());
            statement.setInt(++parameter, slot.number());
            statement.setLong(++parameter, slot.id());
        }
        statement.executeUpdate();
    }

    void removeShingles(long id) throws SQLException {
        removeShingles.setLong(1, id);
        removeShingles.executeUpdate();
    }

    /** Writes the signature to Weir's own table only. */
    void keepSignature(long id, byte[] digest, Signature signature) throws SQLException {
        putSignature.setLong(1, id);
        putSignature.setInt(2, signature.mask());
        putSignature.setBytes(3, Columns.shingles(signature));
        putSignature.setBytes(4, Columns.head(digest));
        putSignature.executeUpdate();
    }

    /** Counts a change as Rspamd does for a batch (docs/reference/storage.md#source-revisions). */
    void bumpSource(long time) throws SQLException {
        bumpSource.setLong(1, time);
        bumpSource.executeUpdate();
        noteSources();
    }

    /** Notes that every change so far is known, see {@link SqliteInspection#isChangedByRspamd}. */
    void noteSources() throws SQLException {
        noteSources.executeUpdate();
    }

    void putState(String name, long value) throws SQLException {
        putState.setString(1, name);
        putState.setLong(2, value);
        putState.executeUpdate();
    }

    /** Records the running checksum of the update log up to the revision, or that it is not known. */
    void putHistory(OptionalLong checksum) throws SQLException {
        if (checksum.isPresent()) {
            putState(Schema.HISTORY, checksum.getAsLong());
        } else {
            removeState.setString(1, Schema.HISTORY);
            removeState.executeUpdate();
        }
    }

    @Override
    public void close() throws SQLException {
        for (PreparedStatement statement : new PreparedStatement[]{find, insert, update, remove, flag, bestFlag,
            putFlag, removeFlag, mask, putSignature, putShingle, putShingles, removeShingles, renewed, renew,
            bumpSource, putState, removeState, noteSources}) {
            statement.close();
        }
    }
}
