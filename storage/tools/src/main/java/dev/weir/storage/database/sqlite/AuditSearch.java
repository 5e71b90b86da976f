package dev.weir.storage.database.sqlite;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import dev.weir.model.Digest;
import dev.weir.model.Network;
import dev.weir.model.Update;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.view.AuditQuery;
import org.jspecify.annotations.Nullable;

/**
 * Searches in the audit trail of a database, which may have rows for ten million hashes. Changes of known hashes are
 * found by the index of digests. Other searches read the table of changes once, and only rows that satisfy the
 * conditions leave SQLite.
 */
final class AuditSearch {
    private static final String COLUMNS = "SELECT a.revision, a.millis, a.kind, a.flag, a.weight, a.address, a.key, "
            + "a.client, a.credential, a.user, a.message_id, CAST(d.digest AS BLOB) ";

    /** Rspamd may have put another hash under the same id. */
    private static final String SAME_HASH = "substr(CAST(d.digest AS BLOB), 1, " + Columns.HEAD + ") = a.head ";

    /** The order of the tables, which SQLite keeps: it would read all digests first. */
    private static final String BY_CHANGE = "FROM weir_audit a CROSS JOIN digests d ON d.id = a.digest_id WHERE ";
    private static final String BY_DIGEST = "FROM digests d CROSS JOIN weir_audit a ON a.digest_id = d.id WHERE ";

    private final StringBuilder conditions = new StringBuilder();
    private final List<Object> values = new ArrayList<>();

    private AuditSearch() {}

    /** Streams the changes that a query selects, by revision, and perhaps others. */
    static void all(Connection connection, AuditQuery query, Consumer<LoggedUpdate> target) throws SQLException {
        AuditSearch search = new AuditSearch();
        search.conditions(query);
        String tables = query.digest().length() > 1 ? BY_DIGEST : BY_CHANGE;
        try (PreparedStatement statement = connection.prepareStatement(
                COLUMNS + tables + search.conditions + SAME_HASH + "ORDER BY a.revision")) {
            for (int i = 0; i < search.values.size(); i++) {
                statement.setObject(i + 1, search.values.get(i));
            }
            pass(statement, query.digest(), target);
        }
    }

    /** Streams the changes of some hashes below a revision, hash by hash, those of each by revision. */
    static void of(Connection connection, long before, Set<Digest> digests, Consumer<LoggedUpdate> target)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(COLUMNS + BY_DIGEST
                + "d.digest = CAST(? AS TEXT) AND a.revision < ? AND " + SAME_HASH + "ORDER BY a.revision")) {
            statement.setLong(2, before);
            for (Digest digest : digests) {
                statement.setBytes(1, digest.toBytes());
                pass(statement, "", target);
            }
        }
    }

    private static void pass(PreparedStatement statement, String prefix, Consumer<LoggedUpdate> target)
            throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                byte[] bytes = row.getBytes(12);
                if (Columns.isDigest(bytes)) {
                    Digest digest = Digest.read(bytes, 0);
                    if (prefix.isEmpty() || digest.hex().startsWith(prefix)) {
                        target.accept(logged(row, digest));
                    }
                }
            }
        }
    }

    private void conditions(AuditQuery query) {
        where("a.revision > ?", query.after());
        where("a.revision < ?", query.before());
        where("a.millis >= ?", query.since());
        where("a.millis < ?", query.until());
        if (query.digest().length() > 1) {
            byte[] from = HexFormat.of().parseHex(query.digest(), 0, query.digest().length() / 2 * 2);
            range("d.digest", "CAST(? AS TEXT)", from);
        }
        query.user().ifPresent(user -> where("a.user = ?", user));
        query.mail().ifPresent(mail -> where("a.message_id = ?", mail));
        query.key().ifPresent(key -> range("a.key", "?", HexFormat.of().parseHex(key)));
        query.from().ifPresent(this::from);
    }

    /** Adds a condition on the sender. The client of a mail is a text of many forms, which the receiver compares. */
    private void from(Network network) {
        where("(a.client IS NOT NULL OR a.address BETWEEN ? AND ?)", network.first().getAddress(),
                network.last().getAddress());
    }

    /** Adds the condition that a column begins with some bytes. */
    private void range(String column, String parameter, byte[] prefix) {
        where(column + " >= " + parameter, prefix);
        byte[] end = successor(prefix);
        if (end != null) {
            where(column + " < " + parameter, end);
        }
    }

    private void where(String condition, Object... parameters) {
        conditions.append(condition).append(" AND ");
        values.addAll(List.of(parameters));
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
        UpdateSubmitter submission = client == null
                ? null
                : new UpdateSubmitter(client, text(row, 9), text(row, 10), text(row, 11));
        Update update = row.getInt(3) == AuditRows.DELETE
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
}
