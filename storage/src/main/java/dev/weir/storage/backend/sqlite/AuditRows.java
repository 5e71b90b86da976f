package dev.weir.storage.backend.sqlite;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.Consumer;

import dev.weir.model.Digest;
import dev.weir.model.Update;
import dev.weir.storage.Arrival;
import dev.weir.storage.Submission;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateOrigin;
import org.jspecify.annotations.Nullable;

/**
 * The audit trail in the database: who changed a hash, and when. The rows of a hash are deleted with it, whereas the
 * update log keeps changes for a limited time.
 */
final class AuditRows implements AutoCloseable {
    /** The maximum number of changes per hash. The latest ones stay. */
    private static final int MOST_OF_A_HASH = 64;

    private static final int WRITE = 1;
    private static final int DELETE = 2;

    private final PreparedStatement insert;
    private final PreparedStatement trim;

    AuditRows(Connection connection) throws SQLException {
        insert = connection
                .prepareStatement("INSERT OR REPLACE INTO weir_audit(digest_id, revision, millis, kind, flag, "
                        + "weight, address, key, client, credential, user, message_id, head) "
                        + "SELECT id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM digests WHERE digest = CAST(? AS TEXT) "
                        + "RETURNING digest_id");
        trim = connection
                .prepareStatement("DELETE FROM weir_audit WHERE digest_id = ?1 AND revision <= (SELECT revision "
                        + "FROM weir_audit WHERE digest_id = ?1 ORDER BY revision DESC LIMIT 1 OFFSET " + MOST_OF_A_HASH
                        + ")");
    }

    /** Records an applied update of a client. An update that removed its hash leaves no row. */
    void add(long revision, Update update, Arrival arrival) throws SQLException {
        byte[] digest = update.digest().toBytes();
        Submission submission = arrival.submission();
        insert.setLong(1, revision);
        insert.setLong(2, arrival.millis());
        switch (update) {
            case Update.Write write -> change(WRITE, write.flag(), write.weight());
            case Update.Delete delete -> change(DELETE, delete.flag(), 0);
            case Update.DeleteAll _,Update.Refresh _,Update.Expire _ -> {
                return;
            }
        }
        insert.setBytes(6, arrival.address().getAddress());
        insert.setBytes(7, arrival.key());
        insert.setString(8, submission == null ? null : submission.client());
        insert.setString(9, submission == null ? null : submission.credential());
        insert.setString(10, submission == null ? null : submission.user());
        insert.setString(11, submission == null ? null : submission.messageId());
        insert.setBytes(12, Columns.head(digest));
        insert.setBytes(13, digest);
        long id;
        try (ResultSet row = insert.executeQuery()) {
            if (!row.next()) {
                return;
            }
            id = row.getLong(1);
        }
        trim.setLong(1, id);
        trim.executeUpdate();
    }

    private void change(int kind, int flag, long weight) throws SQLException {
        insert.setInt(3, kind);
        insert.setInt(4, flag);
        insert.setLong(5, weight);
    }

    /**
     * Streams the recorded changes of stored hashes, by revision.
     *
     * @param before only revisions below this
     * @param digest only digests that begin with these lower-case hexadecimal digits
     */
    static void read(Connection connection, long before, String digest, Consumer<LoggedUpdate> target)
            throws SQLException {
        byte[] from = HexFormat.of().parseHex(digest, 0, digest.length() / 2 * 2);
        byte[] to = successor(from);
        try (PreparedStatement query = connection
                .prepareStatement("SELECT a.revision, a.millis, a.kind, a.flag, a.weight, "
                        + "a.address, a.key, a.client, a.credential, a.user, a.message_id, CAST(d.digest AS BLOB) "
                        + "FROM digests d JOIN weir_audit a ON a.digest_id = d.id "
                        + "WHERE a.revision < ?1 AND d.digest >= CAST(?2 AS TEXT) "
                        + (to == null ? "" : "AND d.digest < CAST(?3 AS TEXT) ")
                        + "AND substr(CAST(d.digest AS BLOB), 1, " + Columns.HEAD + ") = a.head ORDER BY a.revision")) {
            query.setLong(1, before);
            query.setBytes(2, from);
            if (to != null) {
                query.setBytes(3, to);
            }
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    byte[] bytes = row.getBytes(12);
                    if (Columns.isDigest(bytes)) {
                        Digest name = Digest.read(bytes, 0);
                        if (name.toString().startsWith(digest)) {
                            target.accept(logged(row, name));
                        }
                    }
                }
            }
        }
    }

    /** Returns the smallest byte string above all that begin with a prefix; null if there is none. */
    private static byte @Nullable [] successor(byte[] prefix) {
        int length = prefix.length;
        while (length > 0 && prefix[length - 1] == -1) {
            length--;
        }
        if (length == 0) {
            return null;
        }
        byte[] next = Arrays.copyOf(prefix, length);
        next[length - 1]++;
        return next;
    }

    private static LoggedUpdate logged(ResultSet row, Digest digest) throws SQLException {
        long millis = row.getLong(2);
        int flag = row.getInt(4);
        String client = row.getString(8);
        Submission submission = client == null
                ? null
                : new Submission(client, text(row, 9), text(row, 10), text(row, 11));
        Update update = row.getInt(3) == DELETE
                ? new Update.Delete(digest, flag)
                : new Update.Write(digest, flag, row.getLong(5), millis / 1000, null);
        return new LoggedUpdate(row.getLong(1), millis,
                new UpdateOrigin(address(row.getBytes(6)), 0, 0, row.getBytes(7), submission), update);
    }

    private static String text(ResultSet row, int column) throws SQLException {
        String text = row.getString(column);
        return text == null ? "" : text;
    }

    private static InetAddress address(byte[] bytes) throws SQLException {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new SQLException("an address of " + bytes.length + " bytes in the audit trail", e);
        }
    }

    @Override
    public void close() throws SQLException {
        insert.close();
        trim.close();
    }
}
