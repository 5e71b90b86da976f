package dev.weir.storage.stats;

/**
 * What came in one generation of the protocol.
 *
 * @param checked replies to checks, writes, deletes and pings; the name is Rspamd's
 * @param shingles those of them to requests with shingles
 * @param found those of them with a probability above one half: matches, and whatever was done
 */
public record GenerationCounts(long checked, long shingles, long found) {
    /** Returns the sum of these and others. */
    GenerationCounts plus(GenerationCounts other) {
        return new GenerationCounts(checked + other.checked, shingles + other.shingles, found + other.found);
    }
}
