package dev.weir.model;

import java.util.Arrays;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KeyedHashTest {
    private static final KeyedHash REFERENCE = new KeyedHash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);

    @Test
    void matchesSipHash13OfRustAndPython() {
        // SipHash-1-3 of an empty input under the key 00 01 … 0f, as in the tests of Rust's standard library.
        assertThat(REFERENCE.hash(new long[0], 0, 0)).isEqualTo(0xabac0158050fc4dcL);

        // The results of CPython 3.11 and later for hash(bytes(range(8))) and hash(bytes(range(64))). PYTHONHASHSEED=42
        // gives this key.
        KeyedHash python = new KeyedHash(0xdc504fd368cd90afL, 0xb920bb9ffe99e9c1L);
        long[] words = new long[8];
        for (int i = 0; i < 64; i++) {
            words[i / 8] |= (long) i << (i % 8 * 8);
        }
        assertThat(python.hash(words, 0, 1)).isEqualTo(6955365679751785211L);
        assertThat(Long.toUnsignedString(python.hash(words, 0, 8))).isEqualTo("10476391945621820107");

        // And for hash(bytes(range(13))), hash(b"x" * 255), and one zero byte and two.
        byte[] bytes = new byte[14];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i - 1);
        }
        assertThat(python.hash(bytes, 1, 9)).isEqualTo(6955365679751785211L);
        assertThat(python.hash(bytes, 1, 14)).isEqualTo(1857761626690561945L);
        byte[] many = new byte[255];
        Arrays.fill(many, (byte) 'x');
        assertThat(python.hash(many, 0, 255)).isEqualTo(929302979270298654L);
        assertThat(python.hash(new byte[2], 0, 1)).isEqualTo(-3564585677187238775L);
        assertThat(python.hash(new byte[2], 0, 2)).isEqualTo(-1252629106359018055L);
        assertThat(REFERENCE.hash(bytes, 3, 3)).isEqualTo(0xabac0158050fc4dcL);
    }

    @Test
    void dependsOnKeyWordsAndLength() {
        long[] words = {1, 2, 3};
        long hash = REFERENCE.hash(words, 0, 2);
        assertThat(REFERENCE.hash(words, 0, 2)).isEqualTo(hash);
        assertThat(REFERENCE.hash(words, 0, 3)).isNotEqualTo(hash);
        assertThat(REFERENCE.hash(words, 1, 2)).isNotEqualTo(hash);
        assertThat(new KeyedHash(1, 2).hash(words, 0, 2)).isNotEqualTo(hash);
        assertThat(KeyedHash.random().hash(words, 0, 2)).isNotEqualTo(KeyedHash.random().hash(words, 0, 2));
    }

    @Test
    void hashesTwoWordsLikeAnArrayOfTwo() {
        Random random = new Random(7);
        for (int i = 0; i < 100; i++) {
            long[] words = {random.nextLong(), random.nextLong()};
            assertThat(REFERENCE.hash(words[0], words[1])).isEqualTo(REFERENCE.hash(words, 0, 2));
        }
    }

    /** Words that multiplicative mixing maps to one bucket under every seed: their halves cancel out. */
    @Test
    void spreadsWordsThatCancelOutInAMultiplication() {
        int[] places = new int[8192];
        for (long i = 0; i < 1 << 19; i++) {
            long halves = i << 13;
            places[(int) REFERENCE.hash(42, halves << 32 | halves) & 8191]++;
        }
        assertThat(Arrays.stream(places)).allMatch(count -> count > 20 && count < 120);
    }

    @Test
    void spreadsCountersEvenly() {
        int[] buckets = new int[64];
        for (long i = 0; i < 64_000; i++) {
            buckets[(int) (REFERENCE.hash(new long[]{i}, 0, 1) >>> 58)]++;
        }
        assertThat(Arrays.stream(buckets)).allMatch(count -> count > 850 && count < 1150);
    }
}
