package dev.weir.storage.database.sqlite;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.weir.model.Signature;

/** An insertion of all known slots of a signature into Rspamd's table with one statement. */
final class ShingleInsert implements AutoCloseable {
    private final PreparedStatement whole;
    private final PreparedStatement one;

    /**
     * Prepares the statement.
     *
     * @param verb {@code INSERT}, or {@code INSERT OR REPLACE} to take over slots
     */
    ShingleInsert(Connection connection, String verb) throws SQLException {
        String into = verb + " INTO shingles(value, number, digest_id) VALUES ";
        whole = connection.prepareStatement(IntStream.range(0, Signature.SLOTS)
                .mapToObj(slot -> "(?" + (slot + 2) + ", " + slot + ", ?1)")
                .collect(Collectors.joining(", ", into, "")));
        one = connection.prepareStatement(into + "(?, ?, ?)");
    }

    void put(long id, Signature signature) throws SQLException {
        if (signature.mask() == Signature.ALL_SLOTS) {
            whole.setLong(1, id);
            for (int i = 0; i < Signature.SLOTS; i++) {
                whole.setLong(i + 2, signature.value(i));
            }
            whole.executeUpdate();
            return;
        }
        for (int i = 0; i < Signature.SLOTS; i++) {
            if (signature.has(i)) {
                one.setLong(1, signature.value(i));
                one.setInt(2, i);
                one.setLong(3, id);
                one.executeUpdate();
            }
        }
    }

    @Override
    public void close() throws SQLException {
        whole.close();
        one.close();
    }
}
