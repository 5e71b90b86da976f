package dev.weir.scan.score;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * One flag of one hash that a storage knows, with all that Rspamd 4.1.3 and later say of it ({@code fuzzy_matches}).
 *
 * @param rule that asked
 * @param symbol that the flag is mapped to
 * @param server that answered
 * @param found the stored digest, 128 hexadecimal digits
 * @param queried the digest of the mail, 128 hexadecimal digits
 * @param type {@code txt}, {@code img}, {@code bin}, {@code content}, {@code html} or {@code htmld}
 * @param probability the share of equal shingles, more than one half
 * @param score the weight of the symbol in [-1, 1], before that of the metric
 * @param flag the list, 32 bits unsigned
 * @param value the summed votes
 * @param added when the flag was last written, or null where the storage does not say
 * @param exact whether the stored digest is the queried one
 * @param confirmed whether the storage marked the digest as that of a stored hash
 */
public record FuzzyMatch(String rule, String symbol, String server, String found, String queried, String type,
        double probability, double score, long flag, int value, @Nullable Instant added, boolean exact,
        boolean confirmed) {}
