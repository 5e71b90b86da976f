package dev.weir.storage.index;

/**
 * The search algorithm over {@link IndexTables}. {@link HashIndex} discards the answer if the tables changed meanwhile.
 */
final class IndexSearch {
    /** Flags besides the primary one that are sorted: as many as fit into the longest reply. */
    private static final int MAX_EXTRAS = 7;

    /**
     * Number of matching posting lists from which on chance is an unlikely reason. Fewer lists are read together, so
     * the processor fetches the chance candidates at the same time.
     */
    static final int HARDLY_CHANCE = 4;

    /** Candidates of one list whose records are prefetched. A longer list has many whose record is never read. */
    private static final int PREFETCHED = 4;

    private final IndexTables tables;

    IndexSearch(IndexTables tables) {
        this.tables = tables;
    }

    /** Computes the buckets of the pairs and prefetches them. */
    private void prefetchPairs(Lookup lookup) {
        if (!lookup.hasHashes) {
            tables.hashShingles(lookup);
            lookup.hasHashes = true;
        }
        tables.locatePairs(lookup);
        lookup.touchPairs();
    }

    /**
     * Searches for the digest, which is already hashed, then for the most similar signature.
     *
     * @param oldest flags that last changed and were renewed before are ignored
     * @return whether {@link Lookup#best} is an answer
     */
    boolean find(Lookup lookup, long oldest) {
        lookup.probes.blocksRead = 0;
        lookup.compared = 0;
        tables.locateDigest(lookup);
        lookup.touchDigest();
        boolean similar = lookup.hasShingles && !lookup.exactOnly;
        boolean together = similar && lookup.expectsNew();
        if (together) {
            prefetchPairs(lookup);
        }
        int number = tables.numberOf(lookup);
        IndexMatch best = lookup.best;
        if (number != IndexTables.NONE && tables.records(number).read(IndexTables.recordId(number), oldest, best)) {
            best.exact();
            best.signed = IndexTables.isSimilar(number) ? IndexTables.recordId(number) : 0;
            if (lookup.wantsSides) {
                best.readSides(tables.signatures());
            }
            if (lookup.compares && lookup.hasShingles && best.signed != 0) {
                compareShingles(lookup, best);
            }
            best.rank(MAX_EXTRAS);
            return true;
        }
        if (!similar) {
            return false;
        }
        if (!together) {
            prefetchPairs(lookup);
        }
        boolean hit = searchSimilar(lookup, oldest, false);
        if (hit && lookup.wantsSides) {
            lookup.best.readSides(tables.signatures());
        }
        return hit;
    }

    private void compareShingles(Lookup lookup, IndexMatch best) {
        if (!lookup.hasHashes) {
            tables.hashShingles(lookup);
            lookup.hasHashes = true;
        }
        best.otherShingles = tables.signatures().isWhole(best.signed)
                && tables.signatures().equalSlots(best.signed, lookup.fingerprints) == 0;
    }

    /** Searches for a similar signature that protects the template of the mail. */
    boolean findProtected(Lookup lookup, long oldest) {
        prefetchPairs(lookup);
        return searchSimilar(lookup, oldest, true);
    }

    /**
     * Reads one posting list after the other and compares its new candidates. A very similar hash is in nearly all
     * lists, so a few lists are enough to know that no other hash can win.
     */
    private boolean searchSimilar(Lookup lookup, long oldest, boolean onlyProtectors) {
        // HTML that protects a template must be as near as usual.
        int least = onlyProtectors ? FlagThresholds.USUAL : lookup.lowestThreshold();
        int left = tables.scan(lookup);
        int lists = Integer.bitCount(left);
        boolean likely = lists >= HARDLY_CHANCE;
        lookup.visited.clear();
        lookup.best.clear();
        // Slots in which an unmet hash may agree: one of each pair, and both if the list is unread or has lost ids.
        int unseen = Fingerprints.PAIRS + lists;
        while (left != 0 && unseen >= Math.max(lookup.best.equalSlots(), least)) {
            int met = 0;
            do {
                int blocks = lookup.probes.blocksRead;
                int end = tables.collect(lookup, Integer.numberOfTrailingZeros(left), met);
                unseen -= PostingTable.isWhole(end - met, lookup.probes.blocksRead - blocks) ? 1 : 0;
                met = prefetchNew(lookup, met, end, likely);
                left &= left - 1;
            } while (!likely && left != 0);
            for (int i = 0; i < met; i++) {
                consider(lookup.found[i], lookup, oldest, least, onlyProtectors);
            }
        }
        if (lookup.best.equalSlots() < least) {
            return false;
        }
        lookup.best.rank(MAX_EXTRAS);
        return true;
    }

    /**
     * Drops candidates that were met before and prefetches the others.
     *
     * @return behind the last remaining candidate
     */
    private int prefetchNew(Lookup lookup, int from, int to, boolean likely) {
        int[] found = lookup.found;
        int met = from;
        for (int i = from; i < to; i++) {
            int id = found[i];
            if (lookup.visited.add(id)) {
                lookup.touched += tables.signatures().touch(id);
                if (likely && met < PREFETCHED) {
                    lookup.touched += tables.similar().touch(id);
                }
                found[met++] = id;
            }
        }
        return met;
    }

    private void consider(int recordId, Lookup lookup, long oldest, int least, boolean onlyProtectors) {
        IndexMatch best = lookup.best;
        lookup.compared++;
        int equal = tables.signatures().equalSlots(recordId, lookup.fingerprints);
        if (equal < least || equal < best.equalSlots()) {
            return;
        }
        IndexMatch other = lookup.other;
        if (!tables.similar().read(recordId, oldest, other)) {
            return;
        }
        other.equalSlots(equal);
        if (equal < FlagThresholds.USUAL) {
            other.keepNear(lookup.thresholds, lookup.others);
            if (other.flagCount() == 0) {
                return;
            }
        }
        other.signed = recordId;
        if (onlyProtectors) {
            other.readSides(tables.signatures());
            if (!lookup.isProtectedBy(other)) {
                return;
            }
        }
        other.rank(0);
        if (equal > best.equalSlots() || isBetter(recordId, other, best)) {
            lookup.otherIsBest();
        }
    }

    private boolean isBetter(int recordId, IndexMatch other, IndexMatch best) {
        if (other.value(0) != best.value(0)) {
            return other.value(0) > best.value(0);
        }
        if (other.time(0) != best.time(0)) {
            return other.time(0) < best.time(0);
        }
        return tables.similar().compareDigests(recordId, best.digest) < 0;
    }
}
