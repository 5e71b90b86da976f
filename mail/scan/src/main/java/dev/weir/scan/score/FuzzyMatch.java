package dev.weir.scan.score;

import java.time.Instant;

import dev.weir.wire.reply.SideMatch;
import org.jspecify.annotations.Nullable;

/**
 * One flag of one hash that a storage knows, with all details that Rspamd 4.1.3 and later report
 * ({@code fuzzy_matches}).
 *
 * @param rule the rule that asked
 * @param symbol the symbol that the flag is mapped to
 * @param server the server that answered
 * @param found the stored digest, 128 hexadecimal digits
 * @param queried the digest of the mail, 128 hexadecimal digits
 * @param type {@code txt}, {@code img}, {@code bin}, {@code content}, {@code html} or {@code htmld}
 * @param probability the share of equal shingles, more than one half; with side hashes, the similarity of the HTML
 * @param score the weight of the symbol in [-1, 1], before the weight of the metric
 * @param flag the flag, 32 bits unsigned
 * @param value the sum of the votes
 * @param added when the flag was last written, or null if the storage does not report it
 * @param exact whether the stored digest equals the queried one
 * @param sides how the side hashes of HTML compare, or null
 * @param confirmed whether the storage marked the digest as that of a stored hash
 */
public record FuzzyMatch(String rule, String symbol, String server, String found, String queried, String type,
        double probability, double score, long flag, int value, @Nullable Instant added, boolean exact,
        @Nullable SideMatch sides, boolean confirmed) {}
