package dev.weir.bench.jmh;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

import dev.weir.hash.shingle.Blake2b;
import dev.weir.hash.shingle.HashAlgorithm;
import dev.weir.hash.shingle.MumHash;
import dev.weir.hash.shingle.Shingler;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The cost of the hashing primitives on a text of 300 words. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class HashingBenchmark {
    private static final int WORDS = 300;

    private final byte[] key = Blake2b.keyOf("rspamd");
    private final List<byte[]> words = words();
    private final byte[] word = words.getFirst();
    private final Shingler mum = Shingler.of(HashAlgorithm.MUMHASH, Shingler.shinglesKeyOf("rspamd"));
    private final Shingler sip = Shingler.of(HashAlgorithm.SIPHASH, Shingler.shinglesKeyOf("rspamd"));

    private static List<byte[]> words() {
        SplittableRandom random = new SplittableRandom(1);
        List<byte[]> words = new ArrayList<>();
        for (int i = 0; i < WORDS; i++) {
            StringBuilder text = new StringBuilder();
            for (int letters = random.nextInt(2, 12); letters > 0; letters--) {
                text.append((char) random.nextInt('a', 'z' + 1));
            }
            words.add(text.toString().getBytes(StandardCharsets.US_ASCII));
        }
        return words;
    }

    /** Computes the digest of the text. */
    @Benchmark
    public byte[] digest() {
        return Blake2b.digest512(key, words);
    }

    /** Computes the 32 shingles with the default algorithm. */
    @Benchmark
    public long[] mumShingles() {
        return mum.text(words);
    }

    /** Computes the 32 shingles with the older algorithm. */
    @Benchmark
    public long[] sipShingles() {
        return sip.text(words);
    }

    /** One word. */
    @Benchmark
    public long mumHash() {
        return MumHash.hash(word, 1);
    }
}
