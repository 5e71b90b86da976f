package dev.weir.hash.text;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;

/**
 * The languages that a trigram of a text has named, in the order of Rspamd's hash table. That order decides between
 * languages that are close, because each comparison of its sort changes what is compared.
 *
 * <p>The table is khash of klib: open addressing with triangular steps; it doubles when 77 % are taken and moves its
 * entries in place.
 */
final class CandidateTable {
    private static final Hasher64 HASHER = Hashing.xxh3_64(0xabf9727ba290690bL);
    private static final int FIRST_SIZE = 32;
    private static final double FULL = 0.77;
    private static final int FREE = -1;

    private final int[] hashes;
    private final boolean[] known;
    private int[] slots = new int[FIRST_SIZE];
    private int size;

    /**
     * @param hashes of the languages, see {@link #hash}
     */
    CandidateTable(int[] hashes) {
        this.hashes = hashes;
        this.known = new boolean[hashes.length];
        Arrays.fill(slots, FREE);
    }

    static int hash(String code) {
        return (int) HASHER.hashBytesToLong(code.getBytes(StandardCharsets.US_ASCII));
    }

    void add(int language) {
        if (known[language]) {
            return;
        }
        known[language] = true;
        if (size >= (int) (slots.length * FULL + 0.5)) {
            grow();
        }
        slots[freeSlot(slots, language)] = language;
        size++;
    }

    private int freeSlot(int[] table, int language) {
        int at = hashes[language] & (table.length - 1);
        for (int step = 1; table[at] != FREE; step++) {
            at = (at + step) & (table.length - 1);
        }
        return at;
    }

    /** Doubles the table. An entry that moves to the slot of an unmoved one takes its place and moves it. */
    private void grow() {
        int[] grown = new int[slots.length * 2];
        Arrays.fill(grown, FREE);
        for (int from = 0; from < slots.length; from++) {
            int moving = slots[from];
            slots[from] = FREE;
            while (moving != FREE) {
                int to = freeSlot(grown, moving);
                grown[to] = moving;
                moving = to < slots.length ? slots[to] : FREE;
                if (to < slots.length) {
                    slots[to] = FREE;
                }
            }
        }
        slots = grown;
    }

    /** Returns the languages in the order of their slots. */
    int[] languages() {
        return Arrays.stream(slots).filter(language -> language != FREE).toArray();
    }
}
