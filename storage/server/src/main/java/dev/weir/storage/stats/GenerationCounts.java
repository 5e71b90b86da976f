package dev.weir.storage.stats;

/**
 * Reply counts of one protocol generation.
 *
 * @param checked replies to checks, writes, deletes and pings; the name is Rspamd's
 * @param shingles those replies that answered requests with shingles
 * @param found those replies with a probability above one half: matches and successful updates
 */
public record GenerationCounts(long checked, long shingles, long found) {
    /** Returns the sum of these counts and others. */
    GenerationCounts plus(GenerationCounts other) {
        return new GenerationCounts(checked + other.checked, shingles + other.shingles, found + other.found);
    }
}
