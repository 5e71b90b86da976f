package dev.weir.storage.index;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Update;
import org.jspecify.annotations.Nullable;

/**
 * A table of records by id: digest, flags, values and times. A record has 76 bytes, 64 for the digest and 12 for votes.
 *
 * <p>Nearly all hashes have one flag of 0..255 and a value of less than 24 bits. Then time, renewal, value and flag fit
 * into the record. All other flags form a chain in {@link FlagChains}; its first node is the primary flag. Times are
 * unsigned 32-bit seconds, as in the protocol.
 *
 * <p>One writer. Readers may run at the same time; a read is always safe, but possibly inconsistent.
 */
final class RecordTable {
    /** No record. */
    static final int NONE = 0;

    /** Flags of one digest: 256 can come from the network, the others from files. */
    static final int MAX_FLAGS = 512;

    static final int VOTES_BYTES = 12;

    /** Seconds of the last change; in a chained record the first node, in a free record the next free id. */
    static final int TIME = 0;

    /** Seconds of the last renewal. */
    static final int RENEWED = 4;

    /** The value above the flag, or {@link #CHAINED} or {@link #FREE}. */
    static final int VOTE = 8;
    private static final int FLAG_BITS = 8;
    private static final int MAX_FLAG = (1 << FLAG_BITS) - 1;
    private static final long MAX_VALUE = (1 << (Integer.SIZE - 1 - FLAG_BITS)) - 1;
    static final int CHAINED = Integer.MIN_VALUE;
    static final int FREE = Integer.MIN_VALUE + 1;

    private final ChunkedArray digests;
    private final ChunkedArray votes;
    private final FlagChains flagChains;
    private int bound = NONE + 1;
    private int free = NONE;
    private int size;

    // The quarantine: a queue of removed ids that a checkpoint may still name, so that no record may use them.
    private boolean quarantining;
    private int firstHeld = NONE;
    private int lastHeld = NONE;
    private int held;

    /** The last id of the queue at the last {@link #cut}. */
    private int lastBeforeCut = NONE;
    private int heldBeforeCut;

    /** Whether new records get only ids that no record had before, because an image is being copied. */
    private boolean appending;

    RecordTable(OffHeapArena memory, FlagChains flagChains) {
        this.digests = new ChunkedArray(memory, Digest.BYTES);
        this.votes = new ChunkedArray(memory, VOTES_BYTES);
        this.flagChains = flagChains;
    }

    private int nextId() {
        return isAppended() ? bound : free;
    }

    private boolean isAppended() {
        return appending || free == NONE;
    }

    /** Returns an id above all ids that were ever used. */
    int bound() {
        return bound;
    }

    int size() {
        return size;
    }

    /** Returns the largest id that is in use after {@code count} additions. */
    int lastId(int count) {
        // A cut may come between this and the additions.
        int freed = quarantining ? 0 : freeIds();
        return (int) Math.min(bound - 1L + Math.max(0, count - freed), Integer.MAX_VALUE);
    }

    /**
     * Reserves {@code count} more records. Needs no lock.
     *
     * @throws IndexFullException if there is no memory for them
     */
    void reserve(int count) {
        digests.reserve(lastId(count));
        votes.reserve(lastId(count));
    }

    int add(long[] digest, List<FlagValue> flags, long renewed) {
        int id = nextId();
        if (isAppended()) {
            bound++;
        } else {
            free = OffHeapArena.getInt(votes.address(id) + TIME);
        }
        name(id, digest);
        long record = votes.address(id);
        OffHeapArena.putInt(record + VOTE, 0);
        OffHeapArena.putInt(record + RENEWED, seconds(renewed));
        flags(id, flags);
        size++;
        return id;
    }

    /** Removes a record. Its id is free again, or in the quarantine. */
    void remove(int id) {
        long record = votes.address(id);
        releaseNodes(record);
        OffHeapArena.putInt(record + VOTE, FREE);
        if (quarantining) {
            hold(id);
        } else {
            OffHeapArena.putInt(record + TIME, free);
            free = id;
        }
        size--;
    }

    // ---- checkpoints ----

    /** Returns the number of ids below {@link #bound} that a new record can use. */
    int freeIds() {
        return bound - 1 - size - held;
    }

    /** From now on, a removed id goes to the quarantine. */
    void quarantine() {
        quarantining = true;
    }

    private void hold(int id) {
        OffHeapArena.putInt(votes.address(id) + TIME, NONE);
        if (lastHeld == NONE) {
            firstHeld = id;
        } else {
            OffHeapArena.putInt(votes.address(lastHeld) + TIME, id);
        }
        lastHeld = id;
        held++;
    }

    /** Remembers which ids are in the quarantine now. Until {@link #endImage}, new records get new ids only. */
    void cut() {
        lastBeforeCut = lastHeld;
        heldBeforeCut = held;
        appending = true;
    }

    /** From now on, new records get free ids again. */
    void endImage() {
        appending = false;
    }

    /** Frees the ids that were in the quarantine at the last {@link #cut}. */
    void release() {
        if (lastBeforeCut == NONE) {
            return;
        }
        long last = votes.address(lastBeforeCut) + TIME;
        int next = OffHeapArena.getInt(last);
        OffHeapArena.putInt(last, free);
        free = firstHeld;
        firstHeld = next;
        lastHeld = next == NONE ? NONE : lastHeld;
        held -= heldBeforeCut;
        lastBeforeCut = NONE;
        heldBeforeCut = 0;
    }

    /**
     * Copies the votes and flags of consecutive records: 12 bytes for each record, then the chains. A free record has
     * the vote {@link #FREE}; in a chained one, the number of flags takes the place of the first node.
     *
     * @param target little endian, with room for {@link #pageBytes}
     */
    void copyPage(int first, int count, ByteBuffer target) {
        int chains = target.position() + count * VOTES_BYTES;
        for (int i = 0; i < count; i++) {
            long record = votes.address(first + i);
            int vote = OffHeapArena.getInt(record + VOTE);
            int time = OffHeapArena.getInt(record + TIME);
            int at = target.position();
            if (vote == CHAINED) {
                int flags = flagChains.copy(time, target.position(chains));
                chains = target.position();
                target.position(at);
                time = flags;
            }
            target.putInt(vote == FREE ? 0 : time);
            target.putInt(vote == FREE ? 0 : OffHeapArena.getInt(record + RENEWED));
            target.putInt(vote);
        }
        target.position(chains);
    }

    /** Returns the most bytes that {@link #copyPage} writes. */
    static int pageBytes(int count) {
        return count * (VOTES_BYTES + MAX_FLAGS * FlagChains.COPIED_BYTES);
    }

    /**
     * Makes all ids below a bound exist; each must be filled with {@link #fillPage} then. The memory becomes present as
     * the threads write it.
     */
    void expand(int newBound) {
        if (newBound > bound) {
            digests.expect(newBound - 1L);
            votes.expect(newBound - 1L);
            bound = newBound;
        }
    }

    /**
     * Fills consecutive records from a copy by {@link #copyPage}, and moves the position to its end. Records that were
     * free go to the quarantine. The others have no digest yet.
     *
     * @throws IllegalArgumentException if the content is not such a copy
     */
    void fillPage(int first, int count, ByteBuffer source) {
        if (source.remaining() < count * VOTES_BYTES) {
            throw new IllegalArgumentException("records are missing");
        }
        ByteBuffer chains = source.slice(source.position() + count * VOTES_BYTES,
                source.remaining() - count * VOTES_BYTES).order(source.order());
        flagChains.reserve(chains.remaining() / FlagChains.COPIED_BYTES);
        for (int i = 0; i < count; i++) {
            int time = source.getInt();
            int renewed = source.getInt();
            int vote = source.getInt();
            long record = votes.address(first + i);
            OffHeapArena.putInt(record + VOTE, vote);
            OffHeapArena.putInt(record + RENEWED, renewed);
            if (vote == FREE) {
                hold(first + i);
            } else {
                OffHeapArena.putInt(record + TIME, vote == CHAINED ? flagChains.add(chains, time) : time);
                size++;
            }
        }
        source.position(source.limit() - chains.remaining());
    }

    boolean isFree(int id) {
        return OffHeapArena.getInt(votes.address(id) + VOTE) == FREE;
    }

    /** Gives a record that {@link #fillPage} made its digest. */
    void name(int id, long[] digest) {
        long at = digests.address(id);
        for (int i = 0; i < Digest.WORDS; i++) {
            OffHeapArena.putLong(at + (long) i * Long.BYTES, digest[i]);
        }
    }

    static int seconds(long time) {
        return (int) Math.clamp(time, 0, 0xffffffffL);
    }

    private static long unsigned(int seconds) {
        return seconds & 0xffffffffL;
    }

    // ---- for readers ----

    /** Prefetches a record. */
    long touch(int id) {
        return OffHeapArena.getLong(digests.address(id)) + OffHeapArena.getInt(votes.address(id));
    }

    boolean isDigest(int id, long[] digest) {
        long at = digests.address(id);
        for (int i = 0; i < Digest.WORDS; i++) {
            if (OffHeapArena.getLong(at + (long) i * Long.BYTES) != digest[i]) {
                return false;
            }
        }
        return true;
    }

    /** Returns the first eight bytes of the digest, in little endian. */
    long firstWord(int id) {
        return OffHeapArena.getLong(digests.address(id));
    }

    void copyDigest(int id, long[] target) {
        long at = digests.address(id);
        for (int i = 0; i < Digest.WORDS; i++) {
            target[i] = OffHeapArena.getLong(at + (long) i * Long.BYTES);
        }
    }

    /** Compares two digests as unsigned numbers word by word. This order does not depend on ids. */
    int compareDigests(int id, long[] digest) {
        long at = digests.address(id);
        for (int i = 0; i < Digest.WORDS; i++) {
            int order = Long.compareUnsigned(OffHeapArena.getLong(at + (long) i * Long.BYTES), digest[i]);
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    /**
     * Copies the digest and all flags that changed or were renewed at {@code oldest} or later. Returns false if there
     * is no such flag.
     */
    boolean read(int id, long oldest, IndexMatch target) {
        target.clear();
        copyDigest(id, target.digest);
        long record = votes.address(id);
        int vote = OffHeapArena.getInt(record + VOTE);
        int time = OffHeapArena.getInt(record + TIME);
        long renewed = unsigned(OffHeapArena.getInt(record + RENEWED));
        target.renewed(renewed);
        if (vote == CHAINED) {
            flagChains.read(time, oldest, renewed, target);
        } else if (Math.max(unsigned(time), renewed) >= oldest) {
            target.add(vote & MAX_FLAG, vote >> FLAG_BITS, unsigned(time));
            target.primaryFirst();
        }
        return target.flagCount() > 0;
    }

    // ---- for the writer ----

    /** Returns the time of the last renewal in seconds since the epoch, or 0. */
    long renewed(int id) {
        return unsigned(OffHeapArena.getInt(votes.address(id) + RENEWED));
    }

    void renew(int id, long time) {
        OffHeapArena.putInt(votes.address(id) + RENEWED, seconds(Math.max(time, renewed(id))));
    }

    /** Returns all flags of a record, the primary one first. */
    List<FlagValue> flags(int id) {
        long record = votes.address(id);
        int vote = OffHeapArena.getInt(record + VOTE);
        int time = OffHeapArena.getInt(record + TIME);
        return vote == CHAINED
                ? flagChains.list(time)
                : List.of(vote(vote, time));
    }

    /** Returns the only flag of a record that has no chain. */
    static FlagValue vote(int vote, int time) {
        return new FlagValue(vote & MAX_FLAG, vote >> FLAG_BITS, unsigned(time));
    }

    private void flags(int id, List<FlagValue> flags) {
        long record = votes.address(id);
        releaseNodes(record);
        FlagValue primary = flags.getFirst();
        if (flags.size() == 1 && primary.flag() >= 0 && primary.flag() <= MAX_FLAG
                && primary.value() >= -MAX_VALUE && primary.value() <= MAX_VALUE) {
            OffHeapArena.putInt(record + TIME, seconds(primary.time()));
            OffHeapArena.putInt(record + VOTE, ((int) primary.value() << FLAG_BITS) | primary.flag());
        } else {
            OffHeapArena.putInt(record + TIME, flagChains.add(flags));
            OffHeapArena.putInt(record + VOTE, CHAINED);
        }
    }

    private void releaseNodes(long record) {
        if (OffHeapArena.getInt(record + VOTE) == CHAINED) {
            flagChains.remove(OffHeapArena.getInt(record + TIME));
        }
    }

    /** Returns a flag of a digest, or null. */
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
     * Sets one flag of a digest. It may become the primary flag.
     *
     * @throws IllegalStateException if there are too many flags; nothing has changed then
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

    /** Removes one flag. If it is the only flag, keeps it and returns false. */
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

    /** Returns the place of the highest flag after the first. */
    private static int best(List<FlagValue> flags) {
        int best = 1;
        for (int i = 2; i < flags.size(); i++) {
            if (flags.get(i).outranks(flags.get(best))) {
                best = i;
            }
        }
        return best;
    }

    /** Makes the flag with the highest value the primary one. A flag with an equal value does not replace it. */
    private static void promote(List<FlagValue> flags) {
        if (flags.size() > 1) {
            int best = best(flags);
            if (flags.get(best).value() > flags.getFirst().value()) {
                flags.set(best, flags.set(0, flags.get(best)));
            }
        }
    }

    /** Returns the time of the last change or renewal that is not later than {@code limit}; 0 if there is none. */
    long lastTime(int id, long limit) {
        if (OffHeapArena.getInt(votes.address(id) + VOTE) == FREE) {
            return 0;
        }
        long last = renewed(id) <= limit ? renewed(id) : 0;
        for (FlagValue flag : flags(id)) {
            if (flag.time() <= limit) {
                last = Math.max(last, flag.time());
            }
        }
        return last;
    }

    /** Appends an update for each flag of the digest that last changed and was renewed before {@code before}. */
    void collectExpired(int id, long before, List<Update.Expire> target) {
        long record = votes.address(id);
        int vote = OffHeapArena.getInt(record + VOTE);
        if (vote == FREE || renewed(id) >= before
                || (vote != CHAINED && unsigned(OffHeapArena.getInt(record + TIME)) >= before)) {
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
