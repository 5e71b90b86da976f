package dev.weir.storage.waves;

import java.util.Arrays;

import dev.weir.model.Digest;
import dev.weir.model.KeyedHash;

/**
 * Marks of signatures that were seen once and made room for others. At 10,000 different mails a second, a table of
 * 200,000 signatures remembers 20 seconds; a mark needs 4 bytes instead of 500, so marks reach back for minutes.
 *
 * <p>A signature has {@value #KEYS} keys, each a keyed hash of a pair of shingles, and leaves a tag of 8 bits for each.
 * What finds {@value #ENOUGH} of its tags is taken for the same text. A near duplicate that shares nine of ten shingles
 * does so with a probability of 0.98, one that shares three of four with 0.77, and each further copy tries again.
 * Something that shares only three of ten is mistaken with a probability of 0.04, something new with 0.0001. A later
 * tag replaces an earlier one in its place, and {@link #forget} bounds their age.
 */
final class GhostMarks {
    /** Keys of a signature. */
    static final int KEYS = 4;

    private static final int ENOUGH = 2;
    private static final int PLACES_OF_A_SIGNATURE = 64;
    private static final int TAG_BITS = Byte.SIZE;
    private static final int MOST_PLACES = 1 << (Integer.SIZE - TAG_BITS);

    private final KeyedHash keyed;
    private final byte[] tags;
    private int swept;

    /** Creates room for the marks of 16 times as many signatures as a table has, at most 16 MiB. */
    GhostMarks(KeyedHash keyed, int signatures) {
        this.keyed = keyed;
        this.tags = new byte[places(signatures)];
    }

    private static int places(int signatures) {
        long wanted = Long.highestOneBit((long) signatures * PLACES_OF_A_SIGNATURE - 1) * 2;
        return (int) Math.min(MOST_PLACES, wanted);
    }

    /** Returns the bytes of marks for a table. */
    static long bytes(int signatures) {
        return places(signatures);
    }

    /** Computes the keys of a check. Each has a place and a tag in it. */
    void keys(Miss miss, int[] target, int at) {
        if (!miss.hasShingles()) {
            long hash = keyed.hash(miss.digest(), 0, Digest.WORDS);
            target[at] = (int) hash;
            target[at + 1] = (int) (hash >>> Integer.SIZE);
            // A digest has nothing near it: both keys must agree.
            target[at + 2] = 0;
            target[at + 3] = 0;
            return;
        }
        for (int i = 0; i < KEYS; i++) {
            int slot = i * (miss.shingles().length / KEYS);
            // The number of the key keeps equal values of different slots apart.
            target[at + i] = (int) keyed.hash(miss.shingles()[slot] ^ i, miss.shingles()[slot + 1]);
        }
    }

    /** Returns whether a text with some keys was marked. */
    boolean has(int[] keys) {
        int found = 0;
        for (int i = 0; i < KEYS; i++) {
            found += keys[i] != 0 && tags[place(keys[i])] == tag(keys[i]) ? 1 : 0;
        }
        return found >= ENOUGH;
    }

    /** Marks a text. */
    void mark(int[] keys, int at) {
        for (int i = at; i < at + KEYS; i++) {
            if (keys[i] != 0) {
                tags[place(keys[i])] = tag(keys[i]);
            }
        }
    }

    private int place(int key) {
        return (key >>> TAG_BITS) & (tags.length - 1);
    }

    private static byte tag(int key) {
        byte tag = (byte) key;
        return tag == 0 ? 1 : tag;
    }

    /** Forgets a share of the marks, from where the last call ended. Called in equal steps, it bounds their age. */
    void forget(double share) {
        int end = (int) Math.min(tags.length, swept + Math.ceil(tags.length * share));
        Arrays.fill(tags, swept, end, (byte) 0);
        swept = end == tags.length ? 0 : end;
    }
}
