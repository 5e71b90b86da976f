package dev.weir.wire.key;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The key pairs of a server. A request identifies its pair by the first eight bytes of the public key
 * (docs/reference/protocol.md#encrypted-requests). Immutable; a lookup does not allocate.
 */
public final class ServerKeys {
    private static final ServerKeys NONE = new ServerKeys(List.of(), List.of());

    private final long[] ids;
    private final KeyPair[] pairs;
    private final @Nullable KeyPair fallback;

    private ServerKeys(List<KeyPair> configured, List<KeyPair> dynamic) {
        KeyPair[] all = new KeyPair[configured.size() + dynamic.size()];
        for (int i = 0; i < all.length; i++) {
            all[i] = i < configured.size() ? configured.get(i) : dynamic.get(i - configured.size());
        }
        Arrays.sort(all, Comparator.comparingLong(pair -> pair.publicKey().wireId()));
        this.pairs = all;
        this.ids = Arrays.stream(all).mapToLong(pair -> pair.publicKey().wireId()).toArray();
        this.fallback = configured.isEmpty() ? null : configured.getLast();
    }

    /** An empty set: the server drops every encrypted request. */
    public static ServerKeys none() {
        return NONE;
    }

    /**
     * Creates a set from the keys in the order of the configuration. The last key is the default.
     *
     * @throws IllegalArgumentException if two public keys begin with the same 8 bytes; a server must not start then
     */
    public static ServerKeys of(List<KeyPair> configured) {
        return of(configured, List.of());
    }

    /**
     * Creates a set from configured keys and from dynamic keys, which come from a map that changes at run time. A
     * dynamic key is ignored if its first 8 bytes are already in use. A dynamic key is never the default.
     *
     * @throws IllegalArgumentException if two configured public keys begin with the same 8 bytes
     */
    public static ServerKeys of(List<KeyPair> configured, Collection<KeyPair> dynamic) {
        Set<Long> taken = new HashSet<>();
        for (KeyPair pair : configured) {
            if (!taken.add(pair.publicKey().wireId())) {
                throw new IllegalArgumentException(
                        "two key pairs begin with the same 8 bytes: " + pair.publicKey().statName());
            }
        }
        List<KeyPair> added = dynamic.stream().filter(pair -> taken.add(pair.publicKey().wireId())).toList();
        return new ServerKeys(configured, added);
    }

    /** Returns the key pair with a name, or null. */
    public @Nullable KeyPair find(long wireId) {
        int at = Arrays.binarySearch(ids, wireId);
        return at >= 0 ? pairs[at] : null;
    }

    /** Returns the key pair with a name, otherwise the default, or null if there is no default. */
    public @Nullable KeyPair select(long wireId) {
        KeyPair found = find(wireId);
        return found != null ? found : fallback;
    }

    /** Returns the number of key pairs. */
    public int size() {
        return pairs.length;
    }
}
