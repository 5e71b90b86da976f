package dev.weir.storage.hits;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import dev.weir.model.Digest;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.StoredSignature;
import org.jspecify.annotations.Nullable;

/** The grouping of frequent hashes into families of near duplicates: hashes of which each resembles another one. */
public final class HashFamilies {
    private HashFamilies() {}

    /**
     * A family, also of one hash.
     *
     * @param members the hashes, the most frequent one first
     * @param hour hits of all members in the last 60 minutes
     * @param day hits of all members in the last 24 hours
     */
    public record Family(List<HitTable.Hits> members, long hour, long day) {
        /** Copies the list. */
        public Family {
            members = List.copyOf(members);
        }

        /** Returns the most frequent hash. */
        public Digest leader() {
            return members.getFirst().digest();
        }

        /** Returns the hits of all members in each of the last 60 minutes or 24 hours, the current one last. */
        public List<Long> curve(boolean byDay) {
            List<List<Long>> curves = members.stream().map(byDay ? HitTable.Hits::hours : HitTable.Hits::minutes)
                    .toList();
            return IntStream.range(0, curves.getFirst().size())
                    .mapToObj(i -> curves.stream().mapToLong(curve -> curve.get(i)).sum()).toList();
        }
    }

    /**
     * Groups hashes. The time grows with the square of their number: 500 hashes take a few milliseconds.
     *
     * @param byDay whether the hits of the day decide on the order, rather than those of the hour
     */
    public static List<Family> of(List<HitTable.Hits> hashes, HashIndex index, boolean byDay) {
        List<@Nullable StoredSignature> signatures = new ArrayList<>();
        hashes.forEach(hits -> signatures.add(index.signature(hits.digest())));
        int[] parent = new int[hashes.size()];
        for (int i = 0; i < parent.length; i++) {
            parent[i] = i;
            StoredSignature one = signatures.get(i);
            for (int j = 0; j < i && one != null; j++) {
                StoredSignature other = signatures.get(j);
                if (other != null && one.equalSlots(other) > HashIndex.THRESHOLD) {
                    parent[root(parent, i)] = root(parent, j);
                }
            }
        }
        Map<Integer, List<HitTable.Hits>> groups = new LinkedHashMap<>();
        for (int i = 0; i < parent.length; i++) {
            groups.computeIfAbsent(root(parent, i), _ -> new ArrayList<>()).add(hashes.get(i));
        }
        Comparator<Family> order = byDay
                ? Comparator.comparingLong(Family::day)
                : Comparator.comparingLong(Family::hour);
        return groups.values().stream()
                .map(members -> new Family(members, members.stream().mapToLong(HitTable.Hits::hour).sum(),
                        members.stream().mapToLong(HitTable.Hits::day).sum()))
                .sorted(order.reversed()).toList();
    }

    private static int root(int[] parent, int i) {
        int at = i;
        while (parent[at] != at) {
            parent[at] = parent[parent[at]];
            at = parent[at];
        }
        return at;
    }
}
