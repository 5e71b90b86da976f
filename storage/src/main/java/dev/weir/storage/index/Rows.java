package dev.weir.storage.index;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Update;
import org.jspecify.annotations.Nullable;

/**
 * Digests, flags, votes and times by id, 76 bytes each: 64 of digest and 12 of votes.
 *
 * <p>The votes of a hash with one flag of 0..255 and a value of less than 24 bits, which nearly all are, fit into the row:
 * time, renewal, value and flag. All others hang on it as a chain of {@link VoteNodes}, of which the first is the primary
 * one. Times are unsigned 32-bit seconds, as the wire has them.
 *
 * <p>One writer. Every read is safe while it writes, and then perhaps inconsistent.
 */
final class Rows {
    /** Stands for no row. */
    static final int NONE = 0;

    /** Flags of one digest: 256 can come from the network, the rest is room for odd numbers in a file. */
    static final int MAX_FLAGS = 512;

    private static final int VOTES_BYTES = 12;

    /** In a row: seconds of the last change; in a chained one the first node, in a free one the next free id. */
    private static final int TIME = 0;

    /** In a row: seconds of the last renewal. */
    private static final int RENEWED = 4;

    /** In a row: the value above the flag, or one of the two below. */
    private static final int VOTE = 8;
    private static final int FLAG_BITS = 8;
    private static final int MAX_FLAG = (1 << FLAG_BITS) - 1;
    private static final long MAX_VALUE = (1 << (Integer.SIZE - 1 - FLAG_BITS)) - 1;
    private static final int CHAINED = Integer.MIN_VALUE;
    private static final int FREE = Integer.MIN_VALUE + 1;

    private final Region digests;
    private final Region votes;
    private final VoteNodes nodes;
    private int bound = NONE + 1;
    private int free = NONE;
    private int size;

    Rows(OffHeap memory, VoteNodes nodes) {
        this.digests = new Region(memory, Digest.BYTES);
        this.votes = new Region(memory, VOTES_BYTES);
        this.nodes = nodes;
    }

    private int nextId() {
        return free == NONE ? bound : free;
    }

    /** All ids that were ever given are below this one, and above {@link #NONE}. */
    int bound() {
        return bound;
    }

    int size() {
        return size;
    }

    /** The largest id, of all that were given or will be if so many are added. */
    int lastId(int count) {
        int freed = bound - 1 - size;
        return (int) Math.min(bound - 1L + Math.max(0, count - freed), Integer.MAX_VALUE);
    }

    /**
     * Makes room for so many more; needs no lock.
     *
     * @throws IndexFullException if there is no memory for them
     */
    void reserve(int count) {
        digests.reserve(lastId(count));
        votes.reserve(lastId(count));
    }

    /** Bytes of all rows, without the nodes. */
    long bytes() {
        return digests.bytes(bound) + votes.bytes(bound);
    }

    /** Writes the rows, without the nodes. */
    void save(SnapshotWriter out) throws IOException {
        out.number(bound);
        out.number(free);
        out.number(size);
        digests.save(out, bound);
        votes.save(out, bound);
    }

    void restore(SnapshotReader in) throws IOException {
        bound = (int) in.number(NONE + 1, Integer.MAX_VALUE);
        free = (int) in.number(NONE, bound - 1);
        size = (int) in.number(0, bound - 1);
        digests.restore(in, bound);
        votes.restore(in, bound);
    }

    int add(long[] digest, List<FlagValue> flags, long renewed) {
        int id = nextId();
        if (free == NONE) {
            bound++;
        } else {
            free = OffHeap.getInt(votes.address(id) + TIME);
        }
        long at = digests.address(id);
        for (int i = 0; i < Digest.WORDS; i++) {
            OffHeap.putLong(at + (long) i * Long.BYTES, digest[i]);
        }
        long row = votes.address(id);
        OffHeap.putInt(row + VOTE, 0);
        OffHeap.putInt(row + RENEWED, seconds(renewed));
        flags(id, flags);
        size++;
        return id;
    }

    /** Takes the id back. */
    void remove(int id) {
        long row = votes.address(id);
        releaseNodes(row);
        OffHeap.putInt(row + VOTE, FREE);
        OffHeap.putInt(row + TIME, free);
        free = id;
        size--;
    }

    static int seconds(long time) {
        return (int) Math.clamp(time, 0, 0xffffffffL);
    }

    private static long unsigned(int seconds) {
        return seconds & 0xffffffffL;
    }

    // ---- for readers ----

    /** Reads from the row, so that it comes nearer. */
    long touch(int id) {
        return OffHeap.getLong(digests.address(id)) + OffHeap.getInt(votes.address(id));
    }

    boolean isDigest(int id, long[] digest) {
        long at = digests.address(id);
        for (int i = 0; i < Digest.WORDS; i++) {
            if (OffHeap.getLong(at + (long) i * Long.BYTES) != digest[i]) {
                return false;
            }
        }
        return true;
    }

    void copyDigest(int id, long[] target) {
        long at = digests.address(id);
        for (int i = 0; i < Digest.WORDS; i++) {
            target[i] = OffHeap.getLong(at + (long) i * Long.BYTES);
        }
    }

    /** Compares two digests as unsigned numbers word by word: an order that does not depend on ids. */
    int compareDigests(int id, long[] digest) {
        long at = digests.address(id);
        for (int i = 0; i < Digest.WORDS; i++) {
            int order = Long.compareUnsigned(OffHeap.getLong(at + (long) i * Long.BYTES), digest[i]);
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    /**
     * Copies the digest and those flags that changed or were renewed at {@code oldest} or later; false when there is
     * none.
     */
    boolean read(int id, long oldest, Match target) {
        target.clear();
        copyDigest(id, target.digest);
        long row = votes.address(id);
        int vote = OffHeap.getInt(row + VOTE);
        int time = OffHeap.getInt(row + TIME);
        long renewed = unsigned(OffHeap.getInt(row + RENEWED));
        target.renewed(renewed);
        if (vote == CHAINED) {
            nodes.read(time, oldest, renewed, target);
        } else if (Math.max(unsigned(time), renewed) >= oldest) {
            target.add(vote & MAX_FLAG, vote >> FLAG_BITS, unsigned(time));
            target.primaryFirst();
        }
        return target.flagCount() > 0;
    }

    // ---- for the writer ----

    /** Seconds since the epoch of the last renewal, 0 for none. */
    long renewed(int id) {
        return unsigned(OffHeap.getInt(votes.address(id) + RENEWED));
    }

    void renew(int id, long time) {
        OffHeap.putInt(votes.address(id) + RENEWED, seconds(Math.max(time, renewed(id))));
    }

    /** All flags of a row, the primary one first. */
    List<FlagValue> flags(int id) {
        long row = votes.address(id);
        int vote = OffHeap.getInt(row + VOTE);
        int time = OffHeap.getInt(row + TIME);
        return vote == CHAINED
                ? nodes.list(time)
                : List.of(new FlagValue(vote & MAX_FLAG, vote >> FLAG_BITS, unsigned(time)));
    }

    private void flags(int id, List<FlagValue> flags) {
        long row = votes.address(id);
        releaseNodes(row);
        FlagValue primary = flags.getFirst();
        if (flags.size() == 1 && primary.flag() >= 0 && primary.flag() <= MAX_FLAG
                && primary.value() >= -MAX_VALUE && primary.value() <= MAX_VALUE) {
            OffHeap.putInt(row + TIME, seconds(primary.time()));
            OffHeap.putInt(row + VOTE, ((int) primary.value() << FLAG_BITS) | primary.flag());
        } else {
            OffHeap.putInt(row + TIME, nodes.add(flags));
            OffHeap.putInt(row + VOTE, CHAINED);
        }
    }

    private void releaseNodes(long row) {
        if (OffHeap.getInt(row + VOTE) == CHAINED) {
            nodes.remove(OffHeap.getInt(row + TIME));
        }
    }

    /** The flag of a digest, or null. */
    @Nullable
    FlagValue flag(int id, int flag) {
        for (FlagValue one : flags(id)) {
            if (one.flag() == flag) {
                return one;
            }
        }
        return null;
    }

    /**
     * Sets one flag of a digest, which then may become the primary one.
     *
     * @throws IllegalStateException if it is one too many; nothing has changed then
     */
    void setFlag(int id, FlagValue flag) {
        List<FlagValue> flags = new ArrayList<>(flags(id));
        int i = 0;
        while (i < flags.size() && flags.get(i).flag() != flag.flag()) {
            i++;
        }
        if (i < flags.size()) {
            flags.set(i, flag);
        } else if (i < MAX_FLAGS) {
            flags.add(flag);
        } else {
            throw new IllegalStateException("more than " + MAX_FLAGS + " flags of one digest");
        }
        promote(flags);
        flags(id, flags);
    }

    /** Takes one flag away and returns false when it was the last one, which stays where it is. */
    boolean removeFlag(int id, int flag) {
        List<FlagValue> flags = new ArrayList<>(flags(id));
        boolean primary = flags.getFirst().flag() == flag;
        if (primary && flags.size() == 1) {
            return false;
        }
        if (primary) {
            flags.set(0, flags.remove(best(flags)));
        } else if (!flags.removeIf(one -> one.flag() == flag)) {
            return true;
        }
        flags(id, flags);
        return true;
    }

    /** The one after the first that goes before all others. */
    private static int best(List<FlagValue> flags) {
        int best = 1;
        for (int i = 2; i < flags.size(); i++) {
            if (flags.get(i).outranks(flags.get(best))) {
                best = i;
            }
        }
        return best;
    }

    /** Lets the highest value be the primary one; an equal one does not displace it. */
    private static void promote(List<FlagValue> flags) {
        if (flags.size() > 1) {
            int best = best(flags);
            if (flags.get(best).value() > flags.getFirst().value()) {
                flags.set(best, flags.set(0, flags.get(best)));
            }
        }
    }

    /** Appends an update for every flag of the digest that nothing changed or renewed from {@code before} on. */
    void collectExpired(int id, long before, List<Update.Expire> target) {
        long row = votes.address(id);
        int vote = OffHeap.getInt(row + VOTE);
        if (vote == FREE || renewed(id) >= before
                || (vote != CHAINED && unsigned(OffHeap.getInt(row + TIME)) >= before)) {
            return;
        }
        for (FlagValue flag : flags(id)) {
            if (flag.time() < before) {
                long[] words = new long[Digest.WORDS];
                copyDigest(id, words);
                target.add(new Update.Expire(Digest.ofWords(words, 0), flag.flag(), before));
            }
        }
    }
}
