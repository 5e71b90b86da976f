package dev.weir.wire;

import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * The last shared keys by (client public key, server key), because an X25519 costs a hundred times what the rest of a
 * packet does. Bounded, least recently used goes first, a hit allocates nothing. For one thread.
 *
 * <p>Everything is in arrays sized once: an open hash of slots, chained by index, and a doubly linked ring by use whose
 * head is the slot after the last. Clients choose their keys, so the hash starts from a random seed: who does not know
 * it cannot aim at one chain. A flood of new keys can still push out all others; it costs the flooder a packet and us
 * an X25519 each, which the rate limits of the server have to bound.
 */
final class SharedKeyCache {
    private static final int WORDS = 4;

    private final int capacity;
    private final long seed;
    private final int[] heads;
    private final int[] chain;
    private final int[] newer;
    private final int[] older;
    private final long[] clients;
    private final @Nullable KeyPair[] servers;
    private final @Nullable SharedKey[] shared;
    private int size;
    private long hits;
    private long misses;

    SharedKeyCache(int capacity, long seed) {
        if (capacity < 1 || capacity > 1 << 20) {
            throw new IllegalArgumentException("a cache of " + capacity + " shared keys is not in 1..1048576");
        }
        this.capacity = capacity;
        this.seed = seed;
        this.heads = new int[Integer.highestOneBit(capacity * 2 - 1) * 2];
        Arrays.fill(heads, -1);
        this.chain = new int[capacity];
        this.newer = new int[capacity + 1];
        this.older = new int[capacity + 1];
        newer[capacity] = capacity;
        older[capacity] = capacity;
        this.clients = new long[capacity * WORDS];
        this.servers = new KeyPair[capacity];
        this.shared = new SharedKey[capacity];
    }

    /** The shared key of a server and the client key in the bytes; null if that key is of low order. */
    @Nullable
    SharedKey get(KeyPair server, byte[] bytes, int offset) {
        long k0 = Bytes.getLong(bytes, offset);
        long k1 = Bytes.getLong(bytes, offset + 8);
        long k2 = Bytes.getLong(bytes, offset + 16);
        long k3 = Bytes.getLong(bytes, offset + 24);
        int bucket = bucket(k0, k1, k2, k3);
        for (int slot = heads[bucket]; slot >= 0; slot = chain[slot]) {
            int at = slot * WORDS;
            if (clients[at] == k0 && clients[at + 1] == k1 && clients[at + 2] == k2 && clients[at + 3] == k3
                    && Objects.equals(servers[slot], server)) {
                hits++;
                unlink(slot);
                linkNewest(slot);
                return shared[slot];
            }
        }
        misses++;
        Optional<SharedKey> made = SharedKey.of(server.secret(), PublicKey.of(bytes, offset));
        if (made.isEmpty()) {
            return null;
        }
        int slot = size < capacity ? size++ : evict();
        int at = slot * WORDS;
        clients[at] = k0;
        clients[at + 1] = k1;
        clients[at + 2] = k2;
        clients[at + 3] = k3;
        servers[slot] = server;
        shared[slot] = made.get();
        chain[slot] = heads[bucket];
        heads[bucket] = slot;
        linkNewest(slot);
        return made.get();
    }

    private int evict() {
        int slot = newer[capacity];
        unlink(slot);
        int at = slot * WORDS;
        int bucket = bucket(clients[at], clients[at + 1], clients[at + 2], clients[at + 3]);
        if (heads[bucket] == slot) {
            heads[bucket] = chain[slot];
        } else {
            int before = heads[bucket];
            while (chain[before] != slot) {
                before = chain[before];
            }
            chain[before] = chain[slot];
        }
        return slot;
    }

    private void unlink(int slot) {
        newer[older[slot]] = newer[slot];
        older[newer[slot]] = older[slot];
    }

    private void linkNewest(int slot) {
        int newest = older[capacity];
        newer[newest] = slot;
        older[slot] = newest;
        newer[slot] = capacity;
        older[capacity] = slot;
    }

    private int bucket(long k0, long k1, long k2, long k3) {
        long hash = mix(mix(mix(mix(seed ^ k0) ^ k1) ^ k2) ^ k3);
        return (int) hash & heads.length - 1;
    }

    private static long mix(long x) {
        long y = (x ^ x >>> 32) * 0xd6e8feb86659fd93L;
        return y ^ y >>> 32;
    }

    int size() {
        return size;
    }

    long hits() {
        return hits;
    }

    long misses() {
        return misses;
    }
}
