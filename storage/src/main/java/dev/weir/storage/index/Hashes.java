package dev.weir.storage.index;

import java.util.Arrays;
import java.util.List;

import dev.weir.storage.Digest;
import dev.weir.storage.FlagValue;
import dev.weir.storage.Update;
import org.jspecify.annotations.Nullable;

/**
 * Digests and their flags by id, in chunks so that growing copies nothing but the list of chunks.
 *
 * <p>The primary flag lies with the digest; further flags hang on it as a chain of nodes in a second set of chunks.
 * Most hashes have one flag, so most chains are empty. Times are kept as unsigned 32-bit seconds, as the wire has them.
 *
 * <p>One writer. Every read is safe while it writes: an id that lies outside what the reader sees reads as nothing.
 */
final class Hashes {
    static final int NONE = -1;

    /** In place of the first further flag: the id is not in use. */
    private static final int FREE = -2;

    /** Flags of one digest: 256 can come from the network, the rest is room for odd numbers in a file. */
    static final int MAX_FLAGS = 512;

    private static final int SHIFT = 12;
    private static final int CHUNK = 1 << SHIFT;
    private static final int IN_CHUNK = CHUNK - 1;

    /** Flag, value and time of either a digest or a node, with the node that follows. */
    private static class Votes {
        final int[] flags = new int[CHUNK];
        final long[] values = new long[CHUNK];
        final int[] times = new int[CHUNK];
        final int[] next = new int[CHUNK];
    }

    private static final class Chunk extends Votes {
        final long[] digests = new long[CHUNK * Digest.WORDS];
        final int[] signatures = new int[CHUNK];
        final int[] renewed = new int[CHUNK];
    }

    private final Ids ids = new Ids();
    private final Ids nodeIds = new Ids();
    private volatile Chunk[] chunks = {};
    private volatile Votes[] nodes = {};

    /** Makes the chunk that the next id needs; needs no lock. */
    void reserve() {
        Chunk[] now = chunks;
        if (ids.peek() >>> SHIFT >= now.length) {
            Chunk[] more = Arrays.copyOf(now, now.length + 1);
            more[now.length] = new Chunk();
            chunks = more;
        }
        Votes[] nodesNow = nodes;
        if (nodeIds.peek() >>> SHIFT >= nodesNow.length) {
            Votes[] more = Arrays.copyOf(nodesNow, nodesNow.length + 1);
            more[nodesNow.length] = new Votes();
            nodes = more;
        }
    }

    int add(Digest digest, FlagValue primary) {
        int id = ids.take();
        Chunk chunk = chunks[id >>> SHIFT];
        int at = id & IN_CHUNK;
        digest.copyTo(chunk.digests, at * Digest.WORDS);
        chunk.signatures[at] = NONE;
        chunk.renewed[at] = 0;
        chunk.next[at] = NONE;
        put(chunk, at, primary);
        return id;
    }

    /** Takes the id back, and the further flags that it still has. */
    void remove(int id) {
        Chunk chunk = chunks[id >>> SHIFT];
        int at = id & IN_CHUNK;
        while (chunk.next[at] != NONE) {
            unlink(id, chunk.next[at]);
        }
        chunk.next[at] = FREE;
        ids.giveBack(id);
    }

    /** All ids that were ever handed out are below this one. */
    int bound() {
        return ids.bound();
    }

    private static void put(Votes votes, int at, FlagValue flag) {
        votes.flags[at] = flag.flag();
        votes.values[at] = flag.value();
        votes.times[at] = seconds(flag.time());
    }

    private static int seconds(long time) {
        return (int) Math.clamp(time, 0, 0xffffffffL);
    }

    private static FlagValue get(Votes votes, int at) {
        return new FlagValue(votes.flags[at], votes.values[at], votes.times[at] & 0xffffffffL);
    }

    // ---- for readers ----

    boolean isDigest(int id, long[] digest) {
        Chunk[] all = chunks;
        int chunk = id >>> SHIFT;
        if (chunk >= all.length) {
            return false;
        }
        int from = (id & IN_CHUNK) * Digest.WORDS;
        return Arrays.equals(all[chunk].digests, from, from + Digest.WORDS, digest, 0, Digest.WORDS);
    }

    /** Compares two digests as unsigned numbers word by word: an order that does not depend on ids. */
    int compareDigests(int id, long[] digest) {
        Chunk[] all = chunks;
        int chunk = id >>> SHIFT;
        if (chunk >= all.length) {
            return 0;
        }
        int from = (id & IN_CHUNK) * Digest.WORDS;
        for (int i = 0; i < Digest.WORDS; i++) {
            int order = Long.compareUnsigned(all[chunk].digests[from + i], digest[i]);
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    /** The signature that belongs to the digest, or {@link #NONE}. */
    int signature(int id) {
        Chunk[] all = chunks;
        int chunk = id >>> SHIFT;
        return chunk < all.length ? all[chunk].signatures[id & IN_CHUNK] : NONE;
    }

    /**
     * Copies the digest and those flags that changed or were renewed at {@code oldest} or later; false when there is
     * none.
     */
    boolean read(int id, long oldest, Match target) {
        target.clear();
        Chunk[] all = chunks;
        int chunk = id >>> SHIFT;
        if (chunk >= all.length) {
            return false;
        }
        int at = id & IN_CHUNK;
        System.arraycopy(all[chunk].digests, at * Digest.WORDS, target.digest, 0, Digest.WORDS);
        long renewed = all[chunk].renewed[at] & 0xffffffffL;
        target.renewed(renewed);
        Votes votes = all[chunk];
        Votes[] allNodes = nodes;
        for (int i = 0; i < MAX_FLAGS; i++) {
            long time = votes.times[at] & 0xffffffffL;
            if (Math.max(time, renewed) >= oldest) {
                target.add(votes.flags[at], votes.values[at], time);
                if (i == 0) {
                    target.primaryFirst();
                }
            }
            int node = votes.next[at];
            if (node < 0 || node >>> SHIFT >= allNodes.length) {
                break;
            }
            votes = allNodes[node >>> SHIFT];
            at = node & IN_CHUNK;
        }
        return target.flagCount() > 0;
    }

    // ---- for the writer ----

    void setSignature(int id, int signature) {
        chunks[id >>> SHIFT].signatures[id & IN_CHUNK] = signature;
    }

    /** Seconds since the epoch of the last renewal, 0 for none. */
    long renewed(int id) {
        return chunks[id >>> SHIFT].renewed[id & IN_CHUNK] & 0xffffffffL;
    }

    void renew(int id, long time) {
        chunks[id >>> SHIFT].renewed[id & IN_CHUNK] = seconds(Math.max(time, renewed(id)));
    }

    /** Appends an update for every flag of the digest that nothing changed or renewed from {@code before} on. */
    void collectExpired(int id, long before, List<Update.Expire> target) {
        Chunk chunk = chunks[id >>> SHIFT];
        int at = id & IN_CHUNK;
        if (chunk.next[at] == FREE || renewed(id) >= before) {
            return;
        }
        Votes votes = chunk;
        while (true) {
            if ((votes.times[at] & 0xffffffffL) < before) {
                target.add(new Update.Expire(Digest.ofWords(chunk.digests, (id & IN_CHUNK) * Digest.WORDS),
                        votes.flags[at], before));
            }
            int node = votes.next[at];
            if (node == NONE) {
                return;
            }
            votes = nodes[node >>> SHIFT];
            at = node & IN_CHUNK;
        }
    }

    /** Sets one flag of a digest, as primary, in the node that has it, or in a new node. */
    void setFlag(int id, FlagValue flag) {
        Votes votes = chunks[id >>> SHIFT];
        int at = id & IN_CHUNK;
        int count = 1;
        while (votes.flags[at] != flag.flag()) {
            int node = votes.next[at];
            if (node == NONE) {
                if (count >= MAX_FLAGS) {
                    throw new IllegalStateException("more than " + MAX_FLAGS + " flags of one digest");
                }
                node = nodeIds.take();
                votes.next[at] = node;
                nodes[node >>> SHIFT].next[node & IN_CHUNK] = NONE;
                put(nodes[node >>> SHIFT], node & IN_CHUNK, flag);
                promote(id);
                return;
            }
            votes = nodes[node >>> SHIFT];
            at = node & IN_CHUNK;
            count++;
        }
        put(votes, at, flag);
        promote(id);
    }

    /** The flag of a digest, or null. */
    @Nullable
    FlagValue flag(int id, int flag) {
        Votes votes = chunks[id >>> SHIFT];
        int at = id & IN_CHUNK;
        while (votes.flags[at] != flag) {
            int node = votes.next[at];
            if (node == NONE) {
                return null;
            }
            votes = nodes[node >>> SHIFT];
            at = node & IN_CHUNK;
        }
        return get(votes, at);
    }

    /** Takes one flag away and returns false when it was the last one, which stays where it is. */
    boolean removeFlag(int id, int flag) {
        Chunk chunk = chunks[id >>> SHIFT];
        int at = id & IN_CHUNK;
        if (chunk.flags[at] == flag) {
            int best = bestNode(id);
            if (best == NONE) {
                return false;
            }
            put(chunk, at, get(nodes[best >>> SHIFT], best & IN_CHUNK));
            unlink(id, best);
            return true;
        }
        for (int node = chunk.next[at]; node != NONE; node = nodes[node >>> SHIFT].next[node & IN_CHUNK]) {
            if (nodes[node >>> SHIFT].flags[node & IN_CHUNK] == flag) {
                unlink(id, node);
                return true;
            }
        }
        return true;
    }

    private void unlink(int id, int node) {
        Votes votes = chunks[id >>> SHIFT];
        int at = id & IN_CHUNK;
        while (votes.next[at] != node) {
            int next = votes.next[at];
            votes = nodes[next >>> SHIFT];
            at = next & IN_CHUNK;
        }
        votes.next[at] = nodes[node >>> SHIFT].next[node & IN_CHUNK];
        nodeIds.giveBack(node);
    }

    private int bestNode(int id) {
        int best = NONE;
        int node = chunks[id >>> SHIFT].next[id & IN_CHUNK];
        while (node != NONE) {
            Votes votes = nodes[node >>> SHIFT];
            int at = node & IN_CHUNK;
            if (best == NONE || get(votes, at).outranks(get(nodes[best >>> SHIFT], best & IN_CHUNK))) {
                best = node;
            }
            node = votes.next[at];
        }
        return best;
    }

    /** Lets the highest value be the primary one; an equal one does not displace it. */
    private void promote(int id) {
        int best = bestNode(id);
        if (best == NONE) {
            return;
        }
        Chunk chunk = chunks[id >>> SHIFT];
        int at = id & IN_CHUNK;
        Votes votes = nodes[best >>> SHIFT];
        int bestAt = best & IN_CHUNK;
        if (votes.values[bestAt] > chunk.values[at]) {
            FlagValue down = get(chunk, at);
            put(chunk, at, get(votes, bestAt));
            put(votes, bestAt, down);
        }
    }
}
