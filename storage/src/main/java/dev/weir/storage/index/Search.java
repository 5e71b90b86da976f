package dev.weir.storage.index;

/** One search in a {@link Stock} that does not change meanwhile, or else the answer is not used. */
final class Search {
    /** Flags beside the primary one that are put in order: as many as the longest reply has room for. */
    private static final int MAX_EXTRAS = 7;

    /**
     * Lists that have something in them from which on that is hardly chance. Of fewer all are looked at together, so that
     * the processor fetches at the same time what is there by chance.
     */
    static final int HARDLY_CHANCE = 4;

    /** Hashes of one list whose votes and digest are fetched ahead; of more, most will not be looked at closely. */
    private static final int NEAR = 4;

    private final Stock stock;

    Search(Stock stock) {
        this.stock = stock;
    }

    /** Finds the places of the pairs and reads from them, so that they come nearer. */
    private void bringPairs(Lookup lookup) {
        if (!lookup.hasHashes) {
            stock.hashShingles(lookup);
            lookup.hasHashes = true;
        }
        stock.locatePairs(lookup);
        lookup.touchPairs();
    }

    /**
     * Looks for the digest, which has been hashed, then for the most similar signature.
     *
     * @param oldest flags that changed and were renewed before are treated as if they were not there
     * @return whether {@link Lookup#best} is an answer
     */
    boolean run(Lookup lookup, long oldest) {
        lookup.places.blocks = 0;
        lookup.compared = 0;
        stock.locateDigest(lookup);
        lookup.touchDigest();
        boolean together = lookup.hasShingles && lookup.expectsNew();
        if (together) {
            bringPairs(lookup);
        }
        int number = stock.numberOf(lookup);
        Match best = lookup.best;
        if (number != Stock.NONE && stock.rows(number).read(Stock.row(number), oldest, best)) {
            best.exact();
            best.rank(MAX_EXTRAS);
            return true;
        }
        if (!lookup.hasShingles) {
            return false;
        }
        if (!together) {
            bringPairs(lookup);
        }
        return searchSimilar(lookup, oldest);
    }

    /**
     * Looks at one list after the other, at once at all that a list adds: who is very similar is in nearly all of them, so
     * that the first few are enough to know that nobody is more similar.
     */
    private boolean searchSimilar(Lookup lookup, long oldest) {
        int left = stock.scan(lookup);
        int lists = Integer.bitCount(left);
        boolean likely = lists >= HARDLY_CHANCE;
        lookup.seen.clear();
        lookup.best.clear();
        // Slots in which a hash may agree that has not been met: one of each pair, both where its list is still to come
        // or has lost some of its ids.
        int unseen = Fingerprints.PAIRS + lists;
        while (left != 0 && unseen >= Math.max(lookup.best.equalSlots(), HashIndex.THRESHOLD + 1)) {
            int met = 0;
            do {
                int blocks = lookup.places.blocks;
                int end = stock.collect(lookup, Integer.numberOfTrailingZeros(left), met);
                unseen -= ListTable.isWhole(end - met, lookup.places.blocks - blocks) ? 1 : 0;
                met = bringNew(lookup, met, end, likely);
                left &= left - 1;
            } while (!likely && left != 0);
            for (int i = 0; i < met; i++) {
                consider(lookup.found[i], lookup, oldest);
            }
        }
        if (lookup.best.equalSlots() <= HashIndex.THRESHOLD) {
            return false;
        }
        lookup.best.rank(MAX_EXTRAS);
        return true;
    }

    /**
     * Leaves out those that were met before, and reads from what will be asked of the others, so that it comes nearer.
     *
     * @return behind the last one that is left
     */
    private int bringNew(Lookup lookup, int from, int to, boolean likely) {
        int[] found = lookup.found;
        int met = from;
        for (int i = from; i < to; i++) {
            int id = found[i];
            if (lookup.seen.add(id)) {
                lookup.touched += stock.signatures().touch(id);
                if (likely && met < NEAR) {
                    lookup.touched += stock.similar().touch(id);
                }
                found[met++] = id;
            }
        }
        return met;
    }

    private void consider(int row, Lookup lookup, long oldest) {
        Match best = lookup.best;
        lookup.compared++;
        int equal = stock.signatures().equalSlots(row, lookup.fingerprints);
        if (equal <= HashIndex.THRESHOLD || equal < best.equalSlots()) {
            return;
        }
        Match other = lookup.other;
        if (!stock.similar().read(row, oldest, other)) {
            return;
        }
        other.equalSlots(equal);
        other.rank(0);
        if (equal > best.equalSlots() || isBetter(row, other, best)) {
            lookup.otherIsBest();
        }
    }

    private boolean isBetter(int row, Match other, Match best) {
        if (other.value(0) != best.value(0)) {
            return other.value(0) > best.value(0);
        }
        if (other.time(0) != best.time(0)) {
            return other.time(0) < best.time(0);
        }
        return stock.similar().compareDigests(row, best.digest) < 0;
    }
}
