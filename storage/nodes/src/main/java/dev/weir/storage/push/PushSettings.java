package dev.weir.storage.push;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import dev.weir.model.Networks;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;
import org.jspecify.annotations.Nullable;

/**
 * The old replication of a storage.
 *
 * @param pair the key pair of this node
 * @param temporary whether the key pair was made up because the configuration has none
 * @param masters the addresses that may push; null for a storage that takes nothing
 * @param masterKey the public key that they must have; null for any key
 * @param flags what flags of a master become here; others stay as they are
 * @param timeout how long a master may take to send a request
 * @param slaves the storages that this one pushes to
 */
public record PushSettings(KeyPair pair, boolean temporary, @Nullable Networks masters, @Nullable PublicKey masterKey,
        Map<Integer, Integer> flags, Duration timeout, List<Slave> slaves) {
    /** The time that Rspamd gives a master. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

    /**
     * A storage that gets the updates of this one.
     *
     * @param name the name under which it counts the batches of this node
     * @param hosts its addresses, the preferred one first
     * @param key its public key
     */
    public record Slave(String name, List<Host> hosts, PublicKey key) {
        /** Copies the list. */
        public Slave {
            hosts = List.copyOf(hosts);
        }
    }

    /** A host and port. */
    public record Host(String name, int port) {
        @Override
        public String toString() {
            return (name.indexOf(':') < 0 ? name : "[" + name + "]") + ":" + port;
        }
    }

    /**
     * Copies the collections.
     *
     * @throws IllegalArgumentException if two slaves have one name
     */
    public PushSettings {
        flags = Map.copyOf(flags);
        slaves = List.copyOf(slaves);
        Set<String> names = new HashSet<>();
        for (Slave slave : slaves) {
            if (!names.add(slave.name())) {
                throw new IllegalArgumentException("two slaves have the name " + slave.name());
            }
        }
    }

    /** Returns whether other settings mean the same. A key pair that was made up for each of them does not count. */
    public static boolean isSame(@Nullable PushSettings one, @Nullable PushSettings other) {
        if (one == null || other == null || !one.temporary() || !other.temporary()) {
            return Objects.equals(one, other);
        }
        return one.equals(new PushSettings(one.pair(), true, other.masters(), other.masterKey(), other.flags(),
                other.timeout(), other.slaves()));
    }

    /** Returns what a flag of a master becomes here. */
    int flag(int theirs) {
        return flags.getOrDefault(theirs, theirs);
    }
}
