package dev.weir.scan.score;

import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * What a rule says about its scores.
 *
 * @param symbol of hits whose flag is not mapped
 * @param hitsLimit of flags that have none of their own; 0 makes every score 0
 * @param flags the mapped flags
 * @param skipUnknown whether hits of other flags are dropped
 * @param skipDigests queried digests whose hits do not count, lower-case hexadecimal
 * @param threshold the least weight of a symbol that is inserted, before that of the metric
 * @param curve how values become scores
 * @param probBias the probability that is worth nothing, from 0 to below 1
 * @param probPower the exponent of what is above it, more than 0
 * @param htmlWeight a factor for hits of HTML
 */
public record ScoreOptions(String symbol, double hitsLimit, Map<Long, Mapping> flags, boolean skipUnknown,
        Set<String> skipDigests, OptionalDouble threshold, Curve curve, double probBias, double probPower,
        double htmlWeight) {
    /** Copies the collections. */
    public ScoreOptions {
        flags = Map.copyOf(flags);
        skipDigests = Set.copyOf(skipDigests);
    }

    /**
     * A flag that has a symbol.
     *
     * @param limit the value that gives nearly the whole score
     */
    public record Mapping(String symbol, double limit) {}
}
