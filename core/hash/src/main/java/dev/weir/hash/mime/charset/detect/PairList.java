package dev.weir.hash.mime.charset.detect;

/** The byte pairs of a text that say something about its encoding. The newest of them are not scored yet. */
final class PairList {
    static final int LIMIT = 48;

    private final int[] pairs = new int[LIMIT];
    private final int[] offsets = new int[LIMIT];
    private int size;
    private int scored;

    boolean isFull() {
        return size == LIMIT;
    }

    void add(int first, int second, int offset) {
        pairs[size] = (first << 8) | second;
        offsets[size++] = offset;
    }

    int size() {
        return size;
    }

    /** Returns the index of the first pair that is not scored yet. */
    int scored() {
        return scored;
    }

    boolean hasNew() {
        return size > scored;
    }

    void markScored() {
        scored = size;
    }

    int first(int i) {
        return pairs[i] >> 8;
    }

    int second(int i) {
        return pairs[i] & 0xff;
    }

    int offset(int i) {
        return offsets[i];
    }

    void makeEven(int i) {
        offsets[i] &= ~1;
    }

    /** Whether the pair begins where the one before it ends. */
    boolean continues(int i) {
        return i > 0 && offsets[i] == offsets[i - 1] + 2;
    }
}
