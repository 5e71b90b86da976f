package dev.weir.scan;

import dev.weir.hash.FuzzyHash;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A hash of a mail that the storage knows, wholly or nearly.
 *
 * @param query the hash of the mail
 * @param flag the list on which it is, the one with the greatest value where there are several
 * @param value the summed weight
 * @param probability share of equal shingles, more than one half; 1 where the digest is the same
 * @param digest the stored digest, 64 bytes
 * @param added when that flag of the hash last changed, or null where the storage does not say
 * @param otherFlags further flags of the same digest, by value, greatest first
 */
public record Match(FuzzyHash query, int flag, int value, float probability, byte[] digest, @Nullable Instant added,
        List<FlagValue> otherFlags) {
    /**
     * One more list on which the digest is.
     *
     * @param flag the list
     * @param value the summed weight
     */
    public record FlagValue(int flag, int value) {}
}
