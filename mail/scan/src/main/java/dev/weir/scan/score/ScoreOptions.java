package dev.weir.scan.score;

import java.util.Collections;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;

import dev.weir.hash.release.Release;

/**
 * The score options of a rule.
 *
 * @param symbol the symbol of hits whose flag is not mapped
 * @param hitsLimit the limit of flags without a separate one; 0 makes every score 0
 * @param flags the mapped flags
 * @param skipUnknown whether hits of other flags are dropped
 * @param skipDigests queried digests whose hits do not count, lower-case hexadecimal
 * @param threshold the minimum weight of an inserted symbol, before the weight of the metric
 * @param curve the function from values to scores
 * @param probBias the probability that scores nothing, from 0 to below 1
 * @param probPower the exponent for probabilities above the bias, more than 0
 * @param htmlWeight the factor for hits of HTML
 * @param otherCta the factor for hits of HTML that leads to other domains than the mail, 0 to 1
 * @param like the release of Rspamd whose names of refusals apply
 */
public record ScoreOptions(String symbol, double hitsLimit, Map<Long, Mapping> flags, boolean skipUnknown,
        Set<String> skipDigests, OptionalDouble threshold, Curve curve, double probBias, double probPower,
        double htmlWeight, double otherCta, Release like) {
    /** Copies the collections. */
    public ScoreOptions {
        // In an order, so that two runs of a command say the same.
        flags = Collections.unmodifiableMap(new TreeMap<>(flags));
        skipDigests = Set.copyOf(skipDigests);
    }

    /**
     * A flag with a symbol.
     *
     * @param symbol the symbol
     * @param limit the value that gives nearly the full score
     */
    public record Mapping(String symbol, double limit) {}
}
