package dev.weir.storage.waves;

import dev.weir.storage.sampling.CountCurve;

/**
 * What another node counted of a group.
 *
 * @param from the node
 * @param first whether that node, rather than this one, begins to learn the group
 * @param counts its counts, without signatures
 */
record WavePart(String from, boolean first, SavedWave counts) {
    /** Returns the most bytes of a part. */
    static int mostBytes(int hours) {
        return 48 + 88 + CountCurve.bytes(hours) + 4 * DistinctCount.MOST_BYTES;
    }
}
