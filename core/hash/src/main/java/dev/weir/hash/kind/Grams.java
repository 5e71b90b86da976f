package dev.weir.hash.kind;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The set of features that a kind reads from a mail, each a 64-bit hash. It holds a bounded number of members. For
 * explanations it also keeps the text of each member.
 */
final class Grams {
    /** Maximum number of members; a longer text is cut. */
    static final int MOST = 8192;
    private static final int FIRST_SIZE = 512;
    private static final long FACTOR = 0x9e3779b97f4a7c15L;

    private long[] table = new long[FIRST_SIZE];
    private long[] members = new long[FIRST_SIZE / 2];
    private int count;
    private final @Nullable List<String> texts;

    /**
     * @param explained whether to keep the texts of the members
     */
    Grams(boolean explained) {
        texts = explained ? new ArrayList<>() : null;
    }

    /** Adds a character to a hash of text. Start with a key. */
    static long step(long hash, int c) {
        long h = (hash ^ c) * FACTOR;
        return h ^ (h >>> 29);
    }

    /**
     * Adds a member unless the set has it or is full.
     *
     * @param hash hash of the member, not yet mixed
     * @return whether it is new
     */
    boolean add(long hash) {
        // The finalizer of SplittableRandom spreads every bit.
        long h = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
        h = (h ^ (h >>> 27)) * 0x94d049bb133111ebL;
        h ^= h >>> 31;
        // Zero marks a free place.
        long member = h == 0 ? 1 : h;
        int mask = table.length - 1;
        int at = (int) member & mask;
        while (table[at] != 0) {
            if (table[at] == member) {
                return false;
            }
            at = (at + 1) & mask;
        }
        if (isFull()) {
            return false;
        }
        table[at] = member;
        if (count == members.length) {
            grow();
        }
        members[count++] = member;
        return true;
    }

    private void grow() {
        members = Arrays.copyOf(members, 2 * count);
        table = new long[4 * count];
        int mask = table.length - 1;
        for (int i = 0; i < count; i++) {
            int at = (int) members[i] & mask;
            while (table[at] != 0) {
                at = (at + 1) & mask;
            }
            table[at] = members[i];
        }
    }

    /** Whether texts are kept. A caller then passes the text of each member that is new to {@link #text}. */
    boolean isExplained() {
        return texts != null;
    }

    void text(String text) {
        if (texts != null) {
            texts.add(text);
        }
    }

    boolean isFull() {
        return count == MOST;
    }

    int count() {
        return count;
    }

    /** Returns the members; only the first {@link #count} places count. */
    long[] members() {
        return members;
    }

    /** Returns the texts of the members in order. */
    List<String> texts() {
        return texts == null ? List.of() : List.copyOf(texts);
    }
}
