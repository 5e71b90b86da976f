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
 * The connections of a thread, bounded in total and per source. A connection that has not yet sent a request may be
 * displaced by a new one. Thousands of idle connections, which cost an attacker almost nothing, therefore lock no
 * client out. A connection that was answered is never displaced.
 */
final class ConnectionTable {
    /** The source that limits apply to: an IPv4 address or an IPv6 /64 network. */
    record Source(boolean v4, long prefix) {
        static Source of(InetAddress address) {
            ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
            return address instanceof Inet4Address
                    ? new Source(true, bytes.getInt())
                    : new Source(false, bytes.getLong());
        }
    }

    /** The connections of one source. */
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

    /** Returns a copy, so that callers may remove connections while iterating. */
    List<Connection> snapshot() {
        return new ArrayList<>(all);
    }

    boolean isFull() {
        return all.size() >= most;
    }

    /** Returns whether a source has the maximum number of connections. Always false for Unix-domain sockets. */
    boolean isFull(@Nullable Source source) {
        Group group = groups.get(source);
        return group != null && group.count >= mostOfSource;
    }

    /** Returns the oldest connection without a request, or null. */
    @Nullable
    Connection oldestUnproven() {
        return unproven.isEmpty() ? null : unproven.getFirst();
    }

    /** Returns the oldest connection of a source without a request, or null. */
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

    /** Notes that a connection sent a request that gets an answer. */
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
