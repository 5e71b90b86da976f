package dev.weir.scan;

import java.util.Optional;
import java.util.OptionalLong;

import dev.weir.hash.Skip;

/**
 * A request to learn a mail or to delete its hashes.
 *
 * @param flag the flag, 1 to 4294967295; empty to derive it from the symbol
 * @param symbol the symbol, letter case ignored; used only if the flag is empty
 * @param weight the weight to add to every hash, not 0; negative subtracts. Ignored for deletions
 * @param delete whether the hashes are removed from the flag instead
 * @param skip the kinds of hashes to omit
 * @param context the envelope, for learn conditions
 * @param submitter the submitter, for the {@link UpdateListener}
 */
public record LearnRequest(OptionalLong flag, Optional<String> symbol, int weight, boolean delete, Skip skip,
        ScanContext context, Optional<Submitter> submitter) {
    /** Creates a request without a known submitter. */
    public LearnRequest(OptionalLong flag, Optional<String> symbol, int weight, boolean delete, Skip skip,
            ScanContext context) {
        this(flag, symbol, weight, delete, skip, context, Optional.empty());
    }

    /** Returns a request that adds weight to a flag. */
    public static LearnRequest add(long flag, int weight) {
        return new LearnRequest(OptionalLong.of(flag), Optional.empty(), weight, false, Skip.NOTHING, ScanContext.NONE);
    }

    /** Returns a request that adds weight to the flag of a symbol. */
    public static LearnRequest add(String symbol, int weight) {
        return new LearnRequest(OptionalLong.empty(), Optional.of(symbol), weight, false, Skip.NOTHING,
                ScanContext.NONE);
    }

    /** Returns a request that removes a flag. */
    public static LearnRequest delete(long flag) {
        return new LearnRequest(OptionalLong.of(flag), Optional.empty(), 0, true, Skip.NOTHING, ScanContext.NONE);
    }

    /** Returns a copy that omits some kinds of hashes. */
    public LearnRequest withSkip(Skip kinds) {
        return new LearnRequest(flag, symbol, weight, delete, kinds, context, submitter);
    }

    /** Returns a copy with a known submitter. */
    public LearnRequest withSubmitter(Submitter known) {
        return new LearnRequest(flag, symbol, weight, delete, skip, context, Optional.of(known));
    }
}
