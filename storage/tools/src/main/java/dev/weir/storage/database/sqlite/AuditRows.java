package dev.weir.storage.database.sqlite;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

import dev.weir.model.Update;
import dev.weir.storage.AuditEntry;
import dev.weir.storage.UpdateSubmitter;

/**
 * The audit trail in the database: who changed a hash, and when. The rows of a hash are deleted with it, whereas the
 * update log keeps changes for a limited time.
 */
final class AuditRows implements AutoCloseable {
    /** The maximum number of changes per hash. The latest ones stay. */
    private static final int MOST_OF_A_HASH = 64;

    /** The kinds of changes in the table. */
    static final int WRITE = 1;
    static final int DELETE = 2;

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
    void add(long revision, Update update, AuditEntry arrival) throws SQLException {
        byte[] digest = update.digest().toBytes();
        UpdateSubmitter submission = arrival.submission();
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

    @Override
    public void close() throws SQLException {
        insert.close();
        trim.close();
    }
}
