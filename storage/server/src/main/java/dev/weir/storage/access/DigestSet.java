package dev.weir.storage.access;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

import dev.weir.model.Digest;

/**
 * An immutable set of digests, such as those that must not be learned. Lookups do not allocate. Only the operator
 * chooses the content, so clients cannot force collisions.
 */
public final class DigestSet {
    private static final DigestSet NONE = new DigestSet(Set.of());

    private final Set<Digest> digests;

    /** Open addressing: the digests of the {@link #used} slots, eight words each. Some slots are always free. */
    private final long[] words;
    private final boolean[] used;

    private DigestSet(Set<Digest> digests) {
        this.digests = digests;
        int places = Integer.highestOneBit(Math.max(1, digests.size())) * 4;
        this.words = new long[places * Digest.WORDS];
        this.used = new boolean[places];
        for (Digest digest : digests) {
            int place = place(digest.word(0));
            while (used[place]) {
                place = (place + 1) & (used.length - 1);
            }
            digest.copyTo(words, place * Digest.WORDS);
            used[place] = true;
        }
    }

    /** Returns the empty set. */
    public static DigestSet none() {
        return NONE;
    }

    /** Returns the set of the given digests. */
    public static DigestSet of(Collection<Digest> digests) {
        return digests.isEmpty() ? NONE : new DigestSet(new LinkedHashSet<>(digests));
    }

    /** Returns whether the set contains a digest, given as eight words. */
    public boolean contains(long[] digest) {
        if (digests.isEmpty()) {
            return false;
        }
        for (int place = place(digest[0]); used[place]; place = (place + 1) & (used.length - 1)) {
            if (isAt(place, digest)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the set contains a digest, given as bytes. Allocates unless the set is empty. */
    public boolean contains(byte[] bytes, int offset) {
        if (digests.isEmpty()) {
            return false;
        }
        long[] digest = new long[Digest.WORDS];
        Digest.readWords(bytes, offset, digest);
        return contains(digest);
    }

    private boolean isAt(int place, long[] digest) {
        for (int i = 0; i < Digest.WORDS; i++) {
            if (words[place * Digest.WORDS + i] != digest[i]) {
                return false;
            }
        }
        return true;
    }

    private int place(long word) {
        return (int) ((word * 0x9e3779b97f4a7c15L) >>> 32) & (used.length - 1);
    }

    /** Returns whether the set is empty. */
    public boolean isEmpty() {
        return digests.isEmpty();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DigestSet that && digests.equals(that.digests);
    }

    @Override
    public int hashCode() {
        return digests.hashCode();
    }

    @Override
    public String toString() {
        return digests.size() + " digests";
    }
}
