package dev.weir.wire.box;

import java.util.Arrays;
import java.util.Objects;

import dev.weir.model.KeyedHash;
import dev.weir.wire.LittleEndian;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;
import org.jspecify.annotations.Nullable;

/**
 * The last shared keys by (client public key, server key), because an X25519 costs a hundred times what the rest of a
 * packet does. Bounded, a hit allocates nothing. For one thread.
 *
 * <p>Keys that were used once and keys that were used again are kept apart (a segmented LRU): a new key displaces the
 * one of the first kind that was used least recently, so that a flood of keys that are never used again displaces no
 * client that comes back. Those that come back have three quarters of the room; what falls out there is a newcomer
 * again. A packet counts as a use only when its authenticator is verified, so nothing that is made up gets or keeps a
 * place, or costs a client its own: {@link #find} and {@link #agree} change nothing, {@link #used} and {@link #add} do.
 *
 * <p>Everything is in arrays sized once: an open hash of slots, chained by index, and two doubly linked rings by use,
 * whose heads are the two slots after the last. Clients choose their keys, so the hash is keyed: who does not know its
 * key cannot aim at one chain.
 */
final class SharedKeyCache {
    private static final int WORDS = 4;

    private final int capacity;
    private final int newcomers;
    private final int regulars;
    private final int mostRegulars;
    private final boolean[] regular;
    private final KeyedHash keyed;
    private final long[] client = new long[WORDS];
    private final int[] heads;
    private final int[] chain;
    private final int[] newer;
    private final int[] older;
    private final long[] clients;
    private final @Nullable KeyPair[] servers;
    private final @Nullable SharedKey[] shared;
    private int size;
    private int regularCount;
    private long hits;
    private long misses;

    SharedKeyCache(int capacity, KeyedHash keyed) {
        if (capacity < 1 || capacity > 1 << 20) {
            throw new IllegalArgumentException("a cache of " + capacity + " shared keys is not in 1..1048576");
        }
        this.capacity = capacity;
        this.keyed = keyed;
        this.heads = new int[Integer.highestOneBit(capacity * 2 - 1) * 2];
        Arrays.fill(heads, -1);
        this.chain = new int[capacity];
        this.newcomers = capacity;
        this.regulars = capacity + 1;
        this.mostRegulars = capacity - (capacity + 3) / 4;
        this.regular = new boolean[capacity];
        this.newer = new int[capacity + 2];
        this.older = new int[capacity + 2];
        for (int head = newcomers; head <= regulars; head++) {
            newer[head] = head;
            older[head] = head;
        }
        this.clients = new long[capacity * WORDS];
        this.servers = new KeyPair[capacity];
        this.shared = new SharedKey[capacity];
    }

    /** The slot of a server and the client key in the bytes, or -1 if they are not here. */
    int find(KeyPair server, byte[] bytes, int offset) {
        for (int i = 0; i < WORDS; i++) {
            client[i] = LittleEndian.getLong(bytes, offset + i * Long.BYTES);
        }
        for (int slot = heads[bucket(client, 0)]; slot >= 0; slot = chain[slot]) {
            int at = slot * WORDS;
            if (clients[at] == client[0] && clients[at + 1] == client[1] && clients[at + 2] == client[2]
                    && clients[at + 3] == client[3] && Objects.equals(servers[slot], server)) {
                return slot;
            }
        }
        return -1;
    }

    /** The shared key in a slot that was {@linkplain #find found}. */
    @Nullable
    SharedKey at(int slot) {
        return shared[slot];
    }

    /** The shared key of a server and the client key in the bytes, computed; null if that key is of low order. */
    @Nullable
    SharedKey agree(KeyPair server, byte[] bytes, int offset) {
        misses++;
        return SharedKey.of(server.secret(), PublicKey.of(bytes, offset)).orElse(null);
    }

    /** What is in a slot was of use: its client has shown that it has the key. */
    void used(int slot) {
        hits++;
        use(slot);
    }

    /**
     * Takes in a key that was {@linkplain #agree agreed} on and is not here, since its client has shown that it has it.
     */
    void add(KeyPair server, byte[] bytes, int offset, SharedKey key) {
        int slot = size < capacity ? size++ : evict();
        int at = slot * WORDS;
        for (int i = 0; i < WORDS; i++) {
            clients[at + i] = LittleEndian.getLong(bytes, offset + i * Long.BYTES);
        }
        int bucket = bucket(clients, at);
        servers[slot] = server;
        shared[slot] = key;
        chain[slot] = heads[bucket];
        heads[bucket] = slot;
        regular[slot] = false;
        linkNewest(slot, newcomers);
    }

    private void use(int slot) {
        unlink(slot);
        if (!regular[slot] && mostRegulars > 0) {
            regular[slot] = true;
            if (regularCount == mostRegulars) {
                int out = newer[regulars];
                unlink(out);
                regular[out] = false;
                linkNewest(out, newcomers);
            } else {
                regularCount++;
            }
        }
        linkNewest(slot, regular[slot] ? regulars : newcomers);
    }

    private int evict() {
        // There always is a newcomer: regulars have less than all of the room.
        int slot = newer[newcomers];
        unlink(slot);
        int bucket = bucket(clients, slot * WORDS);
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

    private void linkNewest(int slot, int head) {
        int newest = older[head];
        newer[newest] = slot;
        older[slot] = newest;
        newer[slot] = head;
        older[head] = slot;
    }

    private int bucket(long[] words, int at) {
        return (int) keyed.hash(words, at, WORDS) & heads.length - 1;
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
