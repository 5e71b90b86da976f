package dev.weir.hash.shingle;

import java.util.Arrays;

/**
 * Mum-hash of words under 32 sub-keys. If a word fits in one block, its bytes enter the state in a form that is the
 * same for every key, and the state before them depends only on the length. Both are computed once, which leaves two
 * multiplications per key instead of four or more.
 */
final class MumWordHash implements WordHash {
    private final long[] seeds;
    /** State under each key before the first byte, by word length. */
    private final long[][] starts = new long[MumHash.BLOCK + 1][SubKeys.COUNT];

    MumWordHash(SubKeys keys) {
        this.seeds = keys.low;
        for (int length = 0; length < starts.length; length++) {
            for (int key = 0; key < SubKeys.COUNT; key++) {
                starts[length][key] = MumHash.start(seeds[key], length);
            }
        }
    }

    @Override
    public void hashAll(byte[] text, int from, int to, long[] hashes) {
        int length = to - from;
        if (length > MumHash.BLOCK) {
            byte[] word = Arrays.copyOfRange(text, from, to);
            for (int key = 0; key < SubKeys.COUNT; key++) {
                hashes[key] = MumHash.hash(word, seeds[key]);
            }
            return;
        }
        long[] start = starts[length];
        long block = MumHash.lastBlock(text, from, to);
        for (int key = 0; key < SubKeys.COUNT; key++) {
            hashes[key] = MumHash.finish(start[key] ^ block);
        }
    }
}
