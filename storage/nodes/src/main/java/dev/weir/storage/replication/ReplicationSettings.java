package dev.weir.storage.replication;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;
import org.jspecify.annotations.Nullable;

/**
 * What a node is told about the other ones (docs/operate/nodes.md).
 *
 * @param pair the key pair of this node
 * @param binds the addresses at which followers ask; empty for none
 * @param followers those that may follow
 * @param upstream the leader of this node; null for a node that leads
 * @param forwards whether a follower passes updates of its clients to its leader; otherwise they are refused
 * @param needed the number of followers that must have an update before it is acknowledged; 0 for none
 * @param patience how long a client waits for them
 * @param maxLag the lag from which on a follower counts as unhealthy
 */
public record ReplicationSettings(KeyPair pair, List<InetSocketAddress> binds, List<FollowerKey> followers,
        @Nullable Upstream upstream, boolean forwards, int needed, Duration patience, Duration maxLag) {
    /** The port at which followers ask unless told otherwise. */
    public static final int DEFAULT_PORT = 11336;

    /** How long a client waits for followers unless told otherwise. */
    public static final Duration DEFAULT_PATIENCE = Duration.ofSeconds(5);

    /** The lag from which on a follower counts as unhealthy unless told otherwise. */
    public static final Duration DEFAULT_MAX_LAG = Duration.ofMinutes(1);

    /**
     * The leader of a node.
     *
     * @param host its name or address, which is looked up for each question
     * @param key its public key
     */
    public record Upstream(String host, int port, PublicKey key) {
        @Override
        public String toString() {
            return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
        }
    }

    /**
     * Copies the lists.
     *
     * @throws IllegalArgumentException if two followers share a name or a key, or if too few could confirm
     */
    public ReplicationSettings {
        binds = List.copyOf(binds);
        followers = List.copyOf(followers);
        Set<Object> seen = new HashSet<>();
        for (FollowerKey follower : followers) {
            if (!seen.add(follower.name()) || !seen.add(follower.key())) {
                throw new IllegalArgumentException("two followers share the name or key of " + follower.name());
            }
        }
        long whole = followers.stream().filter(follower -> follower.feed().isWhole()).count();
        if (needed > whole) {
            throw new IllegalArgumentException("only " + whole + " followers get everything, and " + needed
                    + " are needed");
        }
    }

    /** Returns the follower with a key. */
    public Optional<FollowerKey> follower(PublicKey key) {
        return followers.stream().filter(follower -> follower.key().equals(key)).findFirst();
    }
}
