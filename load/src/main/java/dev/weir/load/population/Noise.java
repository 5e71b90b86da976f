package dev.weir.load.population;

/** Numbers that look random and follow from where they stand: the finaliser of SplitMix64 (Stafford's variant 13). */
public final class Noise {
    private static final long STEP = 0x9e3779b97f4a7c15L;

    private Noise() {}

    /** What the word at a place of a stream is; streams that differ have nothing in common. */
    public static long at(long stream, long place) {
        return mix(stream + place * STEP);
    }

    /** Spreads each bit of a number over all 64. */
    public static long mix(long z) {
        long mixed = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return mixed ^ (mixed >>> 31);
    }

    /** Returns a number of 0..bound-1 out of 64 random bits. */
    public static long below(long random, long bound) {
        return Math.unsignedMultiplyHigh(random, bound);
    }
}
