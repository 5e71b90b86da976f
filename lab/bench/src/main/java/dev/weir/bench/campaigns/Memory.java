package dev.weir.bench.campaigns;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

import dev.weir.model.Digest;
import dev.weir.model.Signature;

/**
 * All hashes of one kind that were learned, with the mail that each comes from. It compares with every signature, so it
 * finds the nearest for certain. For one thread.
 */
final class Memory {
    /** The agreement of equal digests; other hashes agree in 0 to 32 shingles. */
    static final int EXACT = Signature.SLOTS + 1;

    private final Map<Digest, List<Integer>> digests = new HashMap<>();
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
    }

    /**
     * @param shingles 32 values, or none
     */
    void learn(Digest digest, long[] shingles, int mail) {
        digests.computeIfAbsent(digest, unseen -> new ArrayList<>(1)).add(mail);
        if (shingles.length > 0) {
            signatures.add(shingles);
            owners.add(mail);
        }
    }

    /** Returns the nearest of the learned mails that {@code wanted} accepts by their number. */
    Nearest nearest(Digest digest, long[] shingles, IntPredicate wanted) {
        for (int mail : digests.getOrDefault(digest, List.of())) {
            if (wanted.test(mail)) {
                return new Nearest(EXACT, mail);
            }
        }
        if (shingles.length == 0) {
            return Nearest.NONE;
        }
        Nearest best = Nearest.NONE;
        for (int i = 0; i < signatures.size(); i++) {
            int equal = Signature.equalSlots(shingles, signatures.get(i));
            if (equal > best.agreement() && wanted.test(owners.get(i))) {
                best = new Nearest(equal, owners.get(i));
            }
        }
        return best;
    }
}
