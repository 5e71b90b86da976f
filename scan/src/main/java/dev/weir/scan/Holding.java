package dev.weir.scan;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import dev.weir.model.Digest;
import dev.weir.scan.score.FuzzyMatch;

/**
 * What a storage holds under one hash, before it is forgotten.
 *
 * @param queried the digest that was asked for
 * @param kind the kind of hash as it is written, such as {@code txt}; empty where only the digest is known
 * @param stored the digest that the storage answered with; empty if it knows nothing near
 * @param probability the share of equal shingles, 1 for the same digest; 0 if nothing is known
 * @param lists flag and value of each list that the storage named for the stored digest, eight at most
 */
public record Holding(Digest queried, String kind, Optional<Digest> stored, double probability,
        Map<Long, Integer> lists) {
    /** Copies the map. */
    public Holding {
        lists = Collections.unmodifiableMap(new TreeMap<>(lists));
    }

    /** What a scan found under a hash that it asked for. */
    public static Holding of(ScanResult.AskedHash asked, List<FuzzyMatch> matches) {
        List<FuzzyMatch> own = matches.stream()
                .filter(match -> match.rule().equals(asked.rule()) && match.queried().equals(asked.digest().hex()))
                .toList();
        Map<Long, Integer> lists = new TreeMap<>();
        own.forEach(match -> lists.put(match.flag(), match.value()));
        return new Holding(asked.digest(), asked.type(),
                own.isEmpty() ? Optional.empty() : Digest.parse(own.getFirst().found()),
                own.isEmpty() ? 0 : own.getFirst().probability(), lists);
    }

    /** Whether the hash itself is on a list. */
    public boolean isOn(long flag) {
        return stored.filter(queried::equals).isPresent() && lists.containsKey(flag);
    }

    /** Whether the hash itself is stored, on whatever list. */
    public boolean isStored() {
        return stored.filter(queried::equals).isPresent();
    }

    /** Whether the hash itself, or another one that it matches, is on a list. */
    public boolean matches(long flag) {
        return stored.isPresent() && lists.containsKey(flag);
    }
}
