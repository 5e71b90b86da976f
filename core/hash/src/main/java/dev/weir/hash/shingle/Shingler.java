package dev.weir.hash.shingle;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * A min-hash over word windows that turns a sequence of words into 32 shingles. Each shingle is the unsigned minimum of
 * the hashes of all windows under one sub-key.
 *
 * <p>The share of equal shingles of two texts approximates the share of windows that they have in common; a storage
 * compares texts this way. The cost is 32 word hashes per word, and windows reuse the hashes of their words. The only
 * allocations per word are the input and the states of {@link HashAlgorithm#SIPHASH}, and copies of words of more than
 * 32 bytes.
 *
 * <p>The edge cases follow Rspamd, and test vectors confirm them: the last two words of a text never take part, and
 * SipHash sees one word three times. The algorithm behind a published name never changes. Immutable and thread-safe.
 */
public final class Shingler {
    /** Number of shingles. */
    public static final int COUNT = SubKeys.COUNT;
    private static final long[] NONE = {};
    /** Stands for a token behind the last one. */
    private static final long[] NO_HASHES = new long[COUNT];

    private final HashAlgorithm algorithm;
    private final WordHash textHash;
    private final WordHash htmlHash;

    private Shingler(HashAlgorithm algorithm, SubKeys keys) {
        this.algorithm = algorithm;
        this.textHash = WordHash.of(algorithm, keys);
        this.htmlHash = algorithm == HashAlgorithm.SIPHASH ? WordHash.of(HashAlgorithm.MUMHASH, keys) : textHash;
    }

    /**
     * Returns a shingler for a 16-byte shingles key.
     *
     * @throws IllegalArgumentException if the key has another length
     */
    public static Shingler of(HashAlgorithm algorithm, byte[] shinglesKey) {
        return new Shingler(algorithm, new SubKeys(shinglesKey));
    }

    /** Returns the 16-byte shingles key for a value of the option {@code fuzzy_shingles_key}. */
    public static byte[] shinglesKeyOf(String configured) {
        return shinglesKeyOf(configured.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the 16-byte shingles key for a configured key of any length. */
    public static byte[] shinglesKeyOf(byte[] configured) {
        return Arrays.copyOf(Blake2b.keyOf(configured), SubKeys.KEY_LENGTH);
    }

    /**
     * Returns the shingles of a text (docs/reference/hashing.md#windows).
     *
     * @param stems the words in order; empty ones are skipped
     * @return 32 values in sub-key order, or an empty array if there is no word to hash
     */
    public long[] text(List<byte[]> stems) {
        WordList words = withoutEmpty(WordList.of(stems));
        if (algorithm == HashAlgorithm.SIPHASH) {
            return stems.isEmpty() ? NONE : textBySipHash(words);
        }
        return words.isEmpty() ? NONE : textByRollingHash(words);
    }

    private static WordList withoutEmpty(WordList words) {
        for (int i = 0; i < words.size(); i++) {
            if (words.start(i) == words.end(i)) {
                return WordList.of(words.stream().filter(word -> word.length > 0).toList());
            }
        }
        return words;
    }

    private long[] textBySipHash(WordList words) {
        long[] minimum = highest();
        long[] hashes = new long[COUNT];
        int n = words.size();
        int times = Math.min(n, 3);
        if (n == 0) {
            takeMinimum(minimum, new byte[0], hashes);
        }
        // A window is one word, so a word that occurs again changes nothing.
        WordIndex distinct = new WordIndex(words);
        for (int b = 0, windows = Math.min(n, windows(n)); b < windows; b++) {
            if (distinct.firstLike(b) == b) {
                takeMinimum(minimum, repeat(words, b, times), hashes);
            }
        }
        return unsigned(minimum);
    }

    private void takeMinimum(long[] minimum, byte[] window, long[] hashes) {
        textHash.hashAll(window, 0, window.length, hashes);
        for (int key = 0; key < COUNT; key++) {
            minimum[key] = Math.min(minimum[key], hashes[key] ^ Long.MIN_VALUE);
        }
    }

    private long[] textByRollingHash(WordList words) {
        long[] minimum = highest();
        long[] hashes = new long[COUNT];
        long[] previous = new long[COUNT];
        long[] beforePrevious = new long[COUNT];
        for (int b = 0, windows = windows(words.size()); b < windows; b++) {
            textHash.hashAll(words.bytes, words.start(b), words.end(b), hashes);
            for (int key = 0; key < COUNT; key++) {
                long window = hashes[key] ^ (previous[key] >>> 8) ^ (beforePrevious[key] >>> 16);
                minimum[key] = Math.min(minimum[key], window ^ Long.MIN_VALUE);
            }
            long[] oldest = beforePrevious;
            beforePrevious = previous;
            previous = hashes;
            hashes = oldest;
        }
        return unsigned(minimum);
    }

    /**
     * Returns the shingles of the structure tokens of an HTML part (docs/reference/hashing.md#html-hashes). The window
     * looks forward and reaches the last token; SipHash rules use mum-hash here.
     *
     * @return 32 values in sub-key order, or an empty array if there is no token
     */
    public long[] html(List<byte[]> tokens) {
        WordList words = WordList.of(tokens);
        int n = words.size();
        if (n == 0) {
            return NONE;
        }
        long[][] hashes = hashes(words);
        long[] minimum = highest();
        for (int b = 0, windows = windows(n); b < windows; b++) {
            long[] first = hashes[b];
            long[] second = b + 1 < n ? hashes[b + 1] : NO_HASHES;
            long[] third = b + 2 < n ? hashes[b + 2] : NO_HASHES;
            for (int key = 0; key < COUNT; key++) {
                long window = first[key] ^ (second[key] >>> 8) ^ (third[key] >>> 16);
                minimum[key] = Math.min(minimum[key], window ^ Long.MIN_VALUE);
            }
        }
        return unsigned(minimum);
    }

    /** Returns the hashes of each token under all sub-keys. Most tags of a document repeat; equal ones share them. */
    private long[][] hashes(WordList tokens) {
        long[][] hashes = new long[tokens.size()][];
        WordIndex distinct = new WordIndex(tokens);
        for (int i = 0; i < hashes.length; i++) {
            int first = distinct.firstLike(i);
            if (first < i) {
                hashes[i] = hashes[first];
            } else {
                hashes[i] = new long[COUNT];
                htmlHash.hashAll(tokens.bytes, tokens.start(i), tokens.end(i), hashes[i]);
            }
        }
        return hashes;
    }

    private static int windows(int words) {
        return words > 3 ? words - 2 : 1;
    }

    /**
     * Returns what every minimum starts with. The sign bits of minima are flipped, since the signed minimum then equals
     * the unsigned one, and the JVM computes signed minima for several keys at once.
     */
    private static long[] highest() {
        long[] values = new long[COUNT];
        Arrays.fill(values, Long.MAX_VALUE);
        return values;
    }

    /** Flips the sign bits back. */
    private static long[] unsigned(long[] minimum) {
        for (int key = 0; key < COUNT; key++) {
            minimum[key] ^= Long.MIN_VALUE;
        }
        return minimum;
    }

    private static byte[] repeat(WordList words, int index, int times) {
        int from = words.start(index);
        int length = words.end(index) - from;
        byte[] out = new byte[length * times];
        for (int i = 0; i < times; i++) {
            System.arraycopy(words.bytes, from, out, i * length, length);
        }
        return out;
    }

    /** Returns strings in UTF-8, the input form of {@link #html} and of the digests. */
    public static List<byte[]> utf8(List<String> tokens) {
        WordList.Builder words = new WordList.Builder(tokens.size());
        for (String token : tokens) {
            words.add(token.getBytes(StandardCharsets.UTF_8));
        }
        return words.build();
    }
}
