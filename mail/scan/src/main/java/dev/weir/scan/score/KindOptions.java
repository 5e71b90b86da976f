package dev.weir.scan.score;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntBinaryOperator;
import java.util.stream.Collectors;

import dev.weir.hash.FuzzyHash;
import dev.weir.hash.kind.HashKind;

/**
 * How a rule uses the kinds of hashes that Rspamd does not have (docs/integrate/kinds.md). None are used by default.
 *
 * @param kinds the kinds in use
 * @param maxWeight the most that all kinds of a mail count together, as a share of a whole hit, 0 to 1
 * @param trustedHosts the hosts whose Authentication-Results count, in lower case
 * @param brands registrable domains, in lower case, whose authenticated mails are not learned by these kinds
 */
public record KindOptions(Map<HashKind, Kind> kinds, double maxWeight, Set<String> trustedHosts,
        Set<String> brands) {
    /** No kinds. */
    public static final KindOptions OFF = new KindOptions(Map.of(), 1, Set.of(), Set.of());

    /** Copies the collections. */
    public KindOptions {
        kinds = Map.copyOf(kinds);
        trustedHosts = Set.copyOf(trustedHosts);
        brands = Set.copyOf(brands);
    }

    /**
     * The use of a kind.
     *
     * @param flagOffset what is added to the flag of a symbol
     * @param weight the share of a whole hit that an exact match counts, 0 to 1
     * @param threshold how many shingles of 32 a match must share
     */
    public record Kind(int flagOffset, double weight, int threshold) {
        /**
         * Returns how certain a match is: 1 if the digests are equal, one half at the threshold, and between them in
         * proportion.
         *
         * @param probability the share of equal shingles
         */
        double certainty(double probability) {
            return threshold >= SHINGLES
                    ? 1
                    : 0.5 + 0.5 * Math.clamp((probability * SHINGLES - threshold) / (SHINGLES - threshold), 0, 1);
        }
    }

    private static final int SHINGLES = 32;
    /** One more than half of the shingles: what a near hash of Rspamd's kinds must share. */
    private static final int MORE_THAN_HALF = SHINGLES / 2 + 1;

    /**
     * Returns the use of some kinds without rules: each kind has the flags of its symbols, and the storage decides what
     * is near.
     */
    public static KindOptions withoutRules(Set<HashKind> kinds) {
        return new KindOptions(kinds.stream().collect(Collectors.toMap(kind -> kind, _ -> new Kind(0, 1, 1))), 1,
                Set.of(), Set.of());
    }

    /** Returns the use of the kind of a hash; empty for a kind of Rspamd. */
    public Optional<Kind> of(FuzzyHash hash) {
        return Optional.ofNullable(kinds.get(hash.kind()));
    }

    /** Returns how many shingles of 32 a near hash of a kind must share to count. */
    public int needed(HashKind kind) {
        return Optional.ofNullable(kinds.get(kind)).map(Kind::threshold).orElse(MORE_THAN_HALF);
    }

    /**
     * Returns these kinds with the thresholds that count if a storage answers, which has thresholds of its own.
     *
     * @param flags the flags of the rule
     * @param storage returns the threshold of a flag for a client that asks for a threshold: the flag, then what the
     *            client asks for
     */
    public KindOptions answeredBy(Set<Long> flags, IntBinaryOperator storage) {
        Map<HashKind, Kind> raised = new EnumMap<>(HashKind.class);
        kinds.forEach((name, kind) -> {
            int least = flags.stream().mapToInt(flag -> storage.applyAsInt((int) (long) flag + kind.flagOffset(),
                    Math.min(kind.threshold(), MORE_THAN_HALF))).min().orElse(MORE_THAN_HALF);
            raised.put(name, new Kind(kind.flagOffset(), kind.weight(), Math.max(kind.threshold(), least)));
        });
        return new KindOptions(raised, maxWeight, trustedHosts, brands);
    }
}
