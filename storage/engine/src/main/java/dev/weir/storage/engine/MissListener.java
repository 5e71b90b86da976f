package dev.weir.storage.engine;

/** Hears of lookups without an answer. Any thread may call it; it neither waits nor allocates. */
@FunctionalInterface
public interface MissListener {
    /**
     * Takes note of a lookup.
     *
     * @param digest eight little-endian words
     * @param shingles 32 values, used with {@code hasShingles}
     * @param threshold how many slots a near duplicate must share at least
     */
    void put(long[] digest, long[] shingles, boolean hasShingles, int threshold);
}
