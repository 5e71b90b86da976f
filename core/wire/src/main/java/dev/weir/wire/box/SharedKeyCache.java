package dev.weir.wire.box;

import java.util.Arrays;
import java.util.Objects;

import dev.weir.model.KeyedHash;
import dev.weir.wire.LittleEndian;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;
import org.jspecify.annotations.Nullable;

/**
 * A bounded cache of shared keys by client public key and server key pair. It saves the X25519 computation, which costs
 * far more than the rest of a packet. A hit does not allocate. For one thread.
 *
 * <p>The cache is a segmented LRU. New keys are newcomers; keys that were used again are regulars. A new key evicts the
 * least recently used newcomer, so a flood of keys that are used once evicts no regular. Regulars may take three
 * quarters of the capacity; beyond it, the least recently used regular becomes a newcomer again. A packet counts as a
 * use only after its authenticator is verified, so forged packets cannot change the cache: {@link #find} and {@link
 * #agree} are read-only, {@link #used} and {@link #add} are not.
 *
 * <p>All data is in arrays of fixed size: a hash table of slots with chains, and two doubly linked rings in order of
 * use, whose heads are the two slots after the last. Clients choose their keys, so the hash is keyed; without its key,
 * no client can direct entries to one chain.
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

    /** Returns the slot of a server and the client key in the bytes, or -1 if there is none. */
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

    /** Returns the shared key in a slot that {@link #find} returned. */
    @Nullable
    SharedKey at(int slot) {
        return shared[slot];
    }

    /**
     * Computes the shared key of a server and the client key in the bytes. Returns null if the client key is of low
     * order.
     */
    @Nullable
    SharedKey agree(KeyPair server, byte[] bytes, int offset) {
        misses++;
        return SharedKey.of(server.secret(), PublicKey.of(bytes, offset)).orElse(null);
    }

    /** Records a use of a slot, after the client has proved that it has the key. */
    void used(int slot) {
        hits++;
        use(slot);
    }

    /** Adds a key from {@link #agree} that is not in the cache, after the client has proved that it has the key. */
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
        // There is always a newcomer, because regulars cannot take the whole capacity.
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
