package dev.weir.storage.waves;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;

import dev.weir.model.Digest;
import dev.weir.model.KeyedHash;
import dev.weir.model.Signature;
import dev.weir.storage.sampling.CountCurve;
import org.jspecify.annotations.Nullable;

/**
 * Recent checks without a hit, grouped into near duplicates. For one thread at a time.
 *
 * <p><b>Groups.</b> A signature that was seen once has a slot in flat arrays and in a {@link SlotIndex}. What equals
 * it, or shares more than 16 of its 32 shingles (or as many as its check asks for), makes a group ({@link Wave}) of it.
 * A group keeps up to {@value Wave#MOST_MEMBERS} signatures: a mail that is near one of them but not very near becomes
 * a further one. "Near" means the same as among the known hashes.
 *
 * <p><b>Bound.</b> There are at most {@code signatures} signatures and a sixteenth as many groups; {@link #mostBytes}
 * states the memory. When the table is full, a signature that was seen once makes room ({@link NetworkShares}), and
 * leaves its mark ({@link GhostMarks}): if it comes again, it is a group at once. When there are too many groups, the
 * weakest of {@value #CANDIDATES} random ones goes. A flood of random signatures therefore displaces signatures that
 * were seen once, mostly those of the network that floods, and no groups. Who forges many source addresses, or sends
 * each random signature again and again from several networks, gets groups that look like real waves.
 *
 * <p><b>Error.</b> The count of a group is exact unless its first signatures were forgotten before it became a group:
 * then it lacks these checks but one. Each check stands for {@code weight} checks if the ring samples.
 */
final class WaveTable {
    /** A mail that shares so many slots with a member adds nothing. */
    private static final int VERY_NEAR = 29;

    private static final int SIGNATURES_OF_A_GROUP = 16;
    private static final int CANDIDATES = 16;
    private static final int FACTS = 4;
    private static final int SINGLE = -1;
    private static final int FREE = -2;

    /** Bytes of a signature in the arrays of this table. */
    private static final int SLOT_BYTES = 3 * Integer.BYTES + Long.BYTES + FACTS * Integer.BYTES + 1
            + GhostMarks.KEYS * Integer.BYTES + NetworkShares.BYTES;

    private final SlotIndex index;
    private final int threshold;
    private final GhostMarks ghosts;
    private final NetworkShares shares;
    private final SplittableRandom random;
    private final int hours;
    private final long keepMillis;

    /** The number of the group, {@link #SINGLE} or {@link #FREE}. */
    private final int[] groups;
    private final long[] firstMillis;
    private final int[] weights;
    private final int[] facts;
    private final boolean[] exempt;
    /** The keys under which {@link GhostMarks} remembers what makes room. */
    private final int[] marks;
    private final int[] keys = new int[GhostMarks.KEYS];

    /** The digest and the shingles of what another node or an earlier process tells. */
    private final long[] toldDigest = new long[Digest.WORDS];
    private final long[] toldShingles = new long[Signature.SLOTS];

    private final int[] freeSlots;
    private int free;

    private final @Nullable Wave[] waves;
    private final int[] freeNumbers;
    private int freeWaves;

    private Consumer<Wave> forgotten = _ -> {};
    private long displaced;
    private long displacedWaves;
    private long revived;

    /**
     * Creates an empty table.
     *
     * @param threshold how many shingles of 32 near duplicates share at least, unless their check asks for fewer
     */
    WaveTable(WaveSettings.Table size, int threshold, KeyedHash keyed, SplittableRandom random) {
        int signatures = size.signatures();
        this.hours = CountCurve.hoursOf(size.keep());
        this.keepMillis = size.keep().toMillis();
        this.random = random;
        this.index = new SlotIndex(keyed, signatures, random);
        this.threshold = threshold;
        this.ghosts = new GhostMarks(keyed, signatures);
        this.shares = new NetworkShares(signatures);
        this.groups = new int[signatures];
        this.firstMillis = new long[signatures];
        this.weights = new int[signatures];
        this.facts = new int[signatures * FACTS];
        this.exempt = new boolean[signatures];
        this.marks = new int[signatures * GhostMarks.KEYS];
        this.freeSlots = new int[signatures];
        this.waves = new Wave[signatures / SIGNATURES_OF_A_GROUP];
        this.freeNumbers = new int[waves.length];
        Arrays.fill(groups, FREE);
        for (int i = 0; i < signatures; i++) {
            freeSlots[free++] = signatures - 1 - i;
        }
        for (int i = 0; i < waves.length; i++) {
            freeNumbers[freeWaves++] = waves.length - 1 - i;
        }
    }

    /** Returns the most bytes of a table of a size, whatever comes. */
    static long mostBytes(WaveSettings.Table size) {
        long signatures = size.signatures();
        long groups = signatures / SIGNATURES_OF_A_GROUP;
        return SlotIndex.bytes(size.signatures()) + signatures * SLOT_BYTES + GhostMarks.bytes(size.signatures())
                + groups * (2 * Integer.BYTES + Wave.mostBytes(CountCurve.hoursOf(size.keep())));
    }

    /** Sets who hears of groups that are forgotten. */
    void onForgotten(Consumer<Wave> listener) {
        forgotten = listener;
    }

    /** Counts a check. */
    void take(Miss miss, long millis) {
        int slot = index.find(miss.digest(), shingles(miss), Math.min(threshold, miss.threshold()));
        if (slot != SlotIndex.NONE) {
            again(slot, index.equalSlots(), miss, millis);
            return;
        }
        ghosts.keys(miss, keys, 0);
        if (ghosts.has(keys)) {
            revived++;
            Wave wave = newWave(millis);
            // The forgotten check. Who asked then is forgotten, too.
            wave.count(1, millis);
            count(wave, miss, millis);
            addMember(wave, miss);
        } else {
            addSingle(miss, millis);
        }
    }

    private static long @Nullable [] shingles(Miss miss) {
        return miss.hasShingles() ? miss.shingles() : null;
    }

    private void again(int slot, int equal, Miss miss, long millis) {
        Wave wave = groups[slot] == SINGLE ? promote(slot) : wave(slot);
        count(wave, miss, millis);
        if (equal == SlotIndex.EXACT) {
            complete(wave, slot, signature(miss));
        } else if (equal < VERY_NEAR || wave.members.stream().noneMatch(Wave.Member::whole)) {
            addMember(wave, miss);
        }
    }

    private Wave wave(int slot) {
        Wave wave = waves[groups[slot]];
        if (wave == null) {
            throw new IllegalStateException("slot " + slot + " has no group");
        }
        return wave;
    }

    private static void count(Wave wave, Miss miss, long millis) {
        wave.count(miss.weight(), millis);
        wave.note(miss.client(), miss.network(), miss.sender(), miss.domain(), miss.isExempt());
    }

    /** Makes a group of a signature that was seen once. */
    private Wave promote(int slot) {
        Wave wave = newWave(firstMillis[slot]);
        // Making room for the group may not take this slot: only groups go for groups.
        shares.remove(slot);
        groups[slot] = wave.number;
        wave.count(weights[slot], firstMillis[slot]);
        int at = slot * FACTS;
        wave.note(facts[at], facts[at + 1], facts[at + 2], facts[at + 3], exempt[slot]);
        wave.members.add(new Wave.Member(slot, index.digest(slot), null, false));
        return wave;
    }

    /** Keeps the shingles of a member that came again. */
    private static void complete(Wave wave, int slot, @Nullable Signature signature) {
        for (int i = 0; i < wave.members.size(); i++) {
            Wave.Member member = wave.members.get(i);
            if (member.slot() == slot && !member.whole()) {
                wave.members.set(i, new Wave.Member(slot, member.digest(), signature, true));
            }
        }
    }

    private static @Nullable Signature signature(Miss miss) {
        return miss.hasShingles() ? Signature.of(miss.shingles(), 0) : null;
    }

    private void addMember(Wave wave, Miss miss) {
        if (wave.members.size() < Wave.MOST_MEMBERS) {
            Digest digest = Digest.ofWords(miss.digest(), 0);
            Signature signature = signature(miss);
            int slot = place(wave.number, miss.digest(), shingles(miss));
            wave.members.add(new Wave.Member(slot, digest, signature, true));
        }
    }

    private void addSingle(Miss miss, long millis) {
        int slot = place(SINGLE, miss.digest(), shingles(miss));
        firstMillis[slot] = millis;
        weights[slot] = miss.weight();
        int at = slot * FACTS;
        facts[at] = miss.client();
        facts[at + 1] = miss.network();
        facts[at + 2] = miss.sender();
        facts[at + 3] = miss.domain();
        exempt[slot] = miss.isExempt();
        System.arraycopy(keys, 0, marks, slot * GhostMarks.KEYS, GhostMarks.KEYS);
        shares.add(slot, miss.network());
    }

    private int place(int group, long[] digest, long @Nullable [] shingles) {
        while (free == 0) {
            if (shares.size() > 0) {
                displaced++;
                int victim = shares.victim();
                ghosts.mark(marks, victim * GhostMarks.KEYS);
                dropSingle(victim);
            } else {
                displaceWave(group);
            }
        }
        int slot = freeSlots[--free];
        groups[slot] = group;
        index.put(slot, digest, shingles);
        return slot;
    }

    private void dropSingle(int slot) {
        shares.remove(slot);
        free(slot);
    }

    private void free(int slot) {
        index.remove(slot);
        groups[slot] = FREE;
        freeSlots[free++] = slot;
    }

    private Wave newWave(long firstMillis) {
        if (freeWaves == 0) {
            displaceWave(SINGLE);
        }
        int number = freeNumbers[--freeWaves];
        Wave wave = new Wave(number, firstMillis,
                new CountCurve(hours, firstMillis / CountCurve.MINUTE_MILLIS));
        waves[number] = wave;
        return wave;
    }

    /** Forgets the weakest of some groups, but not a given one. */
    private void displaceWave(int spared) {
        Wave weakest = null;
        int seen = 0;
        int at = random.nextInt(waves.length);
        for (int i = 0; i < waves.length && seen < CANDIDATES; i++) {
            Wave wave = waves[at];
            if (wave != null && wave.number != spared) {
                seen++;
                if (weakest == null || weakest.isStrongerThan(wave)) {
                    weakest = wave;
                }
            }
            // Random places while most have a group; a walk finds the others.
            at = i < CANDIDATES * 4 ? random.nextInt(waves.length) : (at + 1) % waves.length;
        }
        if (weakest == null) {
            throw new IllegalStateException("there is no group to forget");
        }
        displacedWaves++;
        forget(weakest);
    }

    private void forget(Wave wave) {
        for (Wave.Member member : wave.members) {
            free(member.slot());
        }
        waves[wave.number] = null;
        freeNumbers[freeWaves++] = wave.number;
        forgotten.accept(wave);
    }

    /**
     * Forgets what is older than the table remembers, and brings the curves up to date.
     *
     * @param share the part of the time of the table that passed since the last call
     */
    void age(long millis, double share) {
        long oldest = millis - keepMillis;
        for (int i = 0; i < NetworkShares.SHARES; i++) {
            int slot = shares.oldest(i);
            while (slot >= 0 && firstMillis[slot] < oldest) {
                dropSingle(slot);
                slot = shares.oldest(i);
            }
        }
        ghosts.forget(share);
        for (Wave wave : waves) {
            if (wave != null) {
                wave.turn(millis / CountCurve.MINUTE_MILLIS);
                // A group on the skip list stays until the entry ends: its next mail must be recognized.
                boolean gone = wave.checks == 0 && wave.parts.isEmpty();
                if ((gone || wave.lastMillis < oldest) && wave.state != WaveState.SKIPPED) {
                    forget(wave);
                }
            }
        }
    }

    /**
     * Returns the group here that a group of another node belongs to. If nothing is near it, it becomes a group without
     * checks, as long as no other group makes room.
     *
     * @return null if there is no room
     */
    @Nullable
    Wave join(SavedWave other) {
        Wave wave = null;
        for (int i = 0; i < other.members().size() && wave == null; i++) {
            wave = near(other.members().get(i));
        }
        if (wave == null) {
            if (freeWaves == 0 || (free == 0 && shares.size() == 0)) {
                return null;
            }
            wave = newWave(other.firstMillis());
        }
        wave.lastMillis = Math.max(wave.lastMillis, other.lastMillis());
        if (wave.members.stream().noneMatch(Wave.Member::whole)) {
            // Answers and learns need shingles.
            for (SavedWave.Member member : other.members()) {
                addMember(wave, member.digest(), member.signature());
            }
        }
        if (wave.members.isEmpty()) {
            forget(wave);
            return null;
        }
        return wave;
    }

    /** Returns the group that a member belongs to; what was seen here once becomes a group. */
    private @Nullable Wave near(SavedWave.Member member) {
        member.digest().copyTo(toldDigest, 0);
        int slot = index.find(toldDigest, told(member.signature()), threshold);
        if (slot == SlotIndex.NONE) {
            return null;
        }
        if (groups[slot] != SINGLE) {
            return wave(slot);
        }
        // No group of this node makes room for one of another node.
        return freeWaves == 0 ? null : promote(slot);
    }

    private void addMember(Wave wave, Digest digest, @Nullable Signature signature) {
        digest.copyTo(toldDigest, 0);
        int known = index.find(toldDigest, null, 0);
        if (known != SlotIndex.NONE) {
            complete(wave, known, signature);
        } else if (wave.members.size() < Wave.MOST_MEMBERS && (free > 0 || shares.size() > 0)) {
            wave.members.add(new Wave.Member(place(wave.number, toldDigest, told(signature)), digest, signature, true));
        }
    }

    private long @Nullable [] told(@Nullable Signature signature) {
        if (signature == null) {
            return null;
        }
        signature.copyTo(toldShingles, 0);
        return toldShingles;
    }

    /** Forgets who asked and who sent, because the key of the hashes changes. */
    void forgetWho() {
        Arrays.fill(facts, 0);
        for (Wave wave : waves) {
            if (wave != null) {
                wave.forgetWho();
            }
        }
    }

    /** Returns all groups. */
    List<Wave> waves() {
        List<Wave> all = new ArrayList<>(waves.length - freeWaves);
        for (Wave wave : waves) {
            if (wave != null) {
                all.add(wave);
            }
        }
        return all;
    }

    /** Returns whether a group has a digest. */
    boolean has(Digest digest) {
        digest.copyTo(toldDigest, 0);
        int slot = index.find(toldDigest, null, 0);
        return slot != SlotIndex.NONE && groups[slot] >= 0;
    }

    /** Puts groups of an earlier process into an empty table. The first ones win if there is not enough room. */
    void restore(Collection<SavedWave> saved) {
        Map<Digest, Boolean> seen = new LinkedHashMap<>();
        for (SavedWave one : saved) {
            if (freeWaves == 0) {
                return;
            }
            Wave wave = one.restored(freeNumbers[freeWaves - 1]);
            for (SavedWave.Member member : one.members()) {
                if (free > 0 && seen.put(member.digest(), true) == null) {
                    member.digest().copyTo(toldDigest, 0);
                    int slot = place(wave.number, toldDigest, told(member.signature()));
                    wave.members.add(new Wave.Member(slot, member.digest(), member.signature(), true));
                }
            }
            if (!wave.members.isEmpty()) {
                freeWaves--;
                waves[wave.number] = wave;
            }
        }
    }

    int hours() {
        return hours;
    }

    /** Returns the number of groups. */
    int groups() {
        return waves.length - freeWaves;
    }

    /** Returns the number of signatures. */
    int signatures() {
        return groups.length - free;
    }

    /** Returns how many signatures that were seen once made room for others. */
    long displaced() {
        return displaced;
    }

    /** Returns how many groups made room for others. */
    long displacedWaves() {
        return displacedWaves;
    }

    /** Returns how many signatures came again after they had been forgotten for lack of room. */
    long revived() {
        return revived;
    }

    /** Returns the bytes that the table has now. */
    long bytes() {
        return SlotIndex.bytes(groups.length) + (long) groups.length * SLOT_BYTES + GhostMarks.bytes(groups.length)
                + waves.length * 2L * Integer.BYTES + (long) groups() * Wave.mostBytes(hours);
    }
}
