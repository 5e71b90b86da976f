package dev.weir.load.population;

/** Numbers that look random and follow from their position: the finalizer of SplitMix64 (Stafford's variant 13). */
public final class Noise {
    private static final long STEP = 0x9e3779b97f4a7c15L;

    private Noise() {}

    /** Returns the word at a position of a stream. Different streams are unrelated. */
    public static long at(long stream, long place) {
        return mix(stream + place * STEP);
    }

    /** Spreads each bit of a number over all 64. */
    public static long mix(long z) {
        long mixed = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return mixed ^ (mixed >>> 31);
    }

    /** Reduces 64 random bits to a number from 0 to {@code bound} - 1. */
    public static long below(long random, long bound) {
        return Math.unsignedMultiplyHigh(random, bound);
    }
}
