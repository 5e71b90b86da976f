package dev.weir.storage.server.stream;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * All connections of a thread, bounded in all and by where they come from. A connection that has not sent a request
 * over holds its place only until another one needs it: so thousands of them, which cost an attacker next to nothing,
 * keep no client out, and a client that sends a request at once is safe. One that was answered is never sent away for
 * another.
 */
final class ConnectionTable {
    /** Where connections come from, as far as they are counted together: an IPv4 address, or a /64 of IPv6. */
    record Source(boolean v4, long prefix) {
        static Source of(InetAddress address) {
            ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
            return address instanceof Inet4Address
                    ? new Source(true, bytes.getInt())
                    : new Source(false, bytes.getLong());
        }
    }

    /** Connections from one source. */
    private static final class Group {
        final LinkedHashSet<Connection> unproven = LinkedHashSet.newLinkedHashSet(4);
        int count;
    }

    private final int most;
    private final int mostOfSource;
    private final Map<Source, Group> groups = new HashMap<>();
    private final LinkedHashSet<Connection> all = new LinkedHashSet<>();
    private final LinkedHashSet<Connection> unproven = new LinkedHashSet<>();

    ConnectionTable(int most, int mostOfSource) {
        this.most = most;
        this.mostOfSource = mostOfSource;
    }

    int size() {
        return all.size();
    }

    /** Returns a copy, so that connections may be removed while it is walked through. */
    List<Connection> snapshot() {
        return new ArrayList<>(all);
    }

    boolean isFull() {
        return all.size() >= most;
    }

    /** Returns whether there are too many from where this one comes from; a Unix-domain socket is never that. */
    boolean isFull(@Nullable Source source) {
        Group group = groups.get(source);
        return group != null && group.count >= mostOfSource;
    }

    /** Returns the oldest that has not asked anything. */
    @Nullable
    Connection oldestUnproven() {
        return unproven.isEmpty() ? null : unproven.getFirst();
    }

    /** Returns the oldest from one source that has not asked anything. */
    @Nullable
    Connection oldestUnproven(@Nullable Source source) {
        Group group = groups.get(source);
        return group == null || group.unproven.isEmpty() ? null : group.unproven.getFirst();
    }

    void add(Connection connection) {
        all.add(connection);
        unproven.add(connection);
        Source source = connection.source();
        if (source != null) {
            Group group = groups.computeIfAbsent(source, _ -> new Group());
            group.count++;
            group.unproven.add(connection);
        }
    }

    /** Notes that a connection has asked something that was worth an answer. */
    void prove(Connection connection) {
        unproven.remove(connection);
        Group group = groups.get(connection.source());
        if (group != null) {
            group.unproven.remove(connection);
        }
    }

    void remove(Connection connection) {
        if (!all.remove(connection)) {
            return;
        }
        prove(connection);
        Source source = connection.source();
        Group group = groups.get(source);
        if (group != null && --group.count == 0) {
            groups.remove(source);
        }
    }
}
