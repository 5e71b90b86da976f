package dev.weir.hash.shingle;

/**
 * Mum-hash of words under 32 sub-keys. The bytes of a word of one block enter the state in a form that is the same
 * under every key, and the state before them depends on the length only: both are computed once, which leaves two
 * multiplications a key of the four or more.
 */
final class MumWordHash implements WordHash {
    private final long[] seeds;
    /** By length of the word: the state under each key before the first byte. */
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
    public long hash(byte[] word, int key) {
        return MumHash.hash(word, seeds[key]);
    }

    @Override
    public void hashAll(byte[] text, int from, int to, long[] hashes) {
        int length = to - from;
        if (length > MumHash.BLOCK) {
            WordHash.super.hashAll(text, from, to, hashes);
            return;
        }
        long[] start = starts[length];
        long block = MumHash.lastBlock(text, from, to);
        for (int key = 0; key < SubKeys.COUNT; key++) {
            hashes[key] = MumHash.finish(start[key] ^ block);
        }
    }
}
