package dev.weir.load;

/** Numbers that look random and follow from where they stand: the finaliser of SplitMix64 (Stafford's variant 13). */
final class Noise {
    private static final long STEP = 0x9e3779b97f4a7c15L;

    private Noise() {}

    /** What the word at a place of a stream is; streams that differ have nothing in common. */
    static long at(long stream, long place) {
        return mix(stream + place * STEP);
    }

    static long mix(long z) {
        long mixed = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return mixed ^ (mixed >>> 31);
    }

    /** A number of 0..bound-1 out of 64 random bits. */
    static long below(long random, long bound) {
        return Math.unsignedMultiplyHigh(random, bound);
    }
}
