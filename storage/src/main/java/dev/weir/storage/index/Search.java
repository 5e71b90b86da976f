package dev.weir.storage.index;

/** One search in a {@link Stock} that does not change meanwhile, or else the answer is not used. */
final class Search {
    /** Flags beside the primary one that are put in order: as many as the longest reply has room for. */
    private static final int MAX_EXTRAS = 7;

    /** Candidates for which everything is fetched ahead; of more, most will not be looked at closely. */
    private static final int NEAR_CANDIDATES = 4;

    private final Stock stock;

    Search(Stock stock) {
        this.stock = stock;
    }

    /** Finds the places of the pairs and reads from them, so that they come nearer. */
    void bringPairs(Lookup lookup) {
        if (!lookup.hasHashes) {
            stock.hashShingles(lookup);
            lookup.hasHashes = true;
        }
        stock.locatePairs(lookup);
        lookup.hasPlaces = true;
        lookup.touchPairs();
    }

    /**
     * Looks for the digest, then for the most similar signature. The place of the digest has been found and is true.
     *
     * @param oldest flags that changed and were renewed before are treated as if they were not there
     * @return whether {@link Lookup#best} is an answer
     */
    boolean run(Lookup lookup, long oldest) {
        lookup.places.blocks = 0;
        lookup.compared = 0;
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
        if (!lookup.hasPlaces) {
            bringPairs(lookup);
        }
        return searchSimilar(lookup, oldest);
    }

    private boolean searchSimilar(Lookup lookup, long oldest) {
        Candidates candidates = lookup.candidates;
        candidates.clear();
        int full = stock.collect(lookup, candidates);
        int size = candidates.size();
        if (size == 0) {
            return false;
        }
        // What a hit needs lies in several places: they are fetched at the same time. One list in common may be chance.
        for (int i = 0; i < Math.min(size, NEAR_CANDIDATES); i++) {
            lookup.touched += stock.signatures().touch(candidates.id(i));
            if (candidates.count(i) > 1) {
                lookup.touched += stock.similar().touch(candidates.id(i));
            }
        }
        lookup.best.clear();
        int left = size;
        for (int lists = candidates.most(); lists > 0 && left > 0; lists--) {
            // Of the pairs in common with one that is in so many lists, the others lie in lists that it had to leave.
            if (lists + full + Fingerprints.PAIRS < lookup.best.equalSlots()) {
                break;
            }
            for (int i = 0; i < size; i++) {
                if (candidates.count(i) == lists) {
                    left--;
                    consider(candidates.id(i), lookup, oldest);
                }
            }
        }
        if (lookup.best.equalSlots() <= HashIndex.THRESHOLD) {
            return false;
        }
        lookup.best.rank(MAX_EXTRAS);
        return true;
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
