package dev.weir.bench.campaigns;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.weir.hash.FuzzyHash;
import dev.weir.model.Digest;
import dev.weir.model.Signature;

/**
 * All hashes of one kind that were learned, with the mail that each comes from. It compares with every signature, so it
 * finds the nearest for certain. For one thread.
 */
final class Memory {
    /** The agreement of equal digests; other hashes agree in 0 to 32 shingles. */
    static final int EXACT = Signature.SLOTS + 1;

    private final Map<Digest, Integer> digests = new HashMap<>();
    private final List<long[]> signatures = new ArrayList<>();
    private final List<Integer> owners = new ArrayList<>();

    /**
     * The nearest learned mail.
     *
     * @param agreement equal shingles, or {@link #EXACT}
     * @param mail its number, or -1
     */
    record Nearest(int agreement, int mail) {
        static final Nearest NONE = new Nearest(0, -1);

        Nearest or(Nearest other) {
            return other.agreement > agreement ? other : this;
        }
    }

    void learn(FuzzyHash hash, int mail) {
        digests.putIfAbsent(Digest.of(hash.digest()), mail);
        if (hash.hasShingles()) {
            signatures.add(hash.shingles());
            owners.add(mail);
        }
    }

    Nearest nearest(FuzzyHash hash) {
        Integer same = digests.get(Digest.of(hash.digest()));
        if (same != null) {
            return new Nearest(EXACT, same);
        }
        if (!hash.hasShingles()) {
            return Nearest.NONE;
        }
        long[] asked = hash.shingles();
        Nearest best = Nearest.NONE;
        for (int i = 0; i < signatures.size(); i++) {
            int equal = equal(asked, signatures.get(i));
            if (equal > best.agreement()) {
                best = new Nearest(equal, owners.get(i));
            }
        }
        return best;
    }

    private static int equal(long[] a, long[] b) {
        int equal = 0;
        for (int i = 0; i < a.length; i++) {
            equal += a[i] == b[i] ? 1 : 0;
        }
        return equal;
    }
}
