package dev.weir.wire.key;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The key pairs of a server, found by the eight bytes that a request names one by
 * (docs/reference/protocol.md#encrypted-requests). Immutable; looking up allocates nothing.
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

    /** No keys: every encrypted request is dropped. */
    public static ServerKeys none() {
        return NONE;
    }

    /**
     * Keys in the order of the configuration: the last is the default.
     *
     * @throws IllegalArgumentException if two public keys begin with the same 8 bytes; a server must not start then
     */
    public static ServerKeys of(List<KeyPair> configured) {
        return of(configured, List.of());
    }

    /**
     * Configured keys and those of a map that changes at run time. Of the latter one whose first 8 bytes are taken
     * already is left out, since a configured key goes first; the default is never a dynamic one.
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

    /** The key pair of that name, or null. */
    public @Nullable KeyPair find(long wireId) {
        int at = Arrays.binarySearch(ids, wireId);
        return at >= 0 ? pairs[at] : null;
    }

    /** The key pair of that name, else the last configured one, else null. */
    public @Nullable KeyPair select(long wireId) {
        KeyPair found = find(wireId);
        return found != null ? found : fallback;
    }

    /** How many keys there are. */
    public int size() {
        return pairs.length;
    }
}
