package dev.weir.bench.index;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

import dev.weir.model.Digest;
import dev.weir.model.KeyedHash;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Lookup;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost of a lookup and an update in the index by number of hashes. Every lookup is for another hash, so its data is
 * not in the cache of the processor unless the whole index fits there.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 1, jvmArgs = {"-Xmx1g", "-XX:+UseZGC", "-XX:+UseCompactObjectHeaders",
    "--enable-native-access=ALL-UNNAMED"})
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class IndexBenchmark {
    /** Number of distinct lookups. */
    private static final int QUESTIONS = 8192;

    /** Longs of a lookup: the digest, then the shingles. */
    private static final int WORDS = Digest.WORDS + Signature.SLOTS;

    /** The index. */
    @State(Scope.Benchmark)
    public static class Stored {
        /** Number of hashes, all with signatures. */
        @Param({"10000", "100000", "1000000", "10000000"})
        public int hashes;

        HashIndex index = new HashIndex(KeyedHash.random());
        final long[] questions = new long[QUESTIONS * WORDS];
        final Lookup lookup = new Lookup();
        int next;
        long added;

        /** Fills the index. */
        @Setup
        public void fill() {
            index = new HashIndex(KeyedHash.random(), hashes, hashes);
            for (int i = 0; i < hashes; i++) {
                index.load(Synthetic.hash(i, true));
            }
            lookup.hasShingles(true);
        }

        /** Saves the current lookup. */
        void keep(int i) {
            System.arraycopy(lookup.digest(), 0, questions, i * WORDS, Digest.WORDS);
            System.arraycopy(lookup.shingles(), 0, questions, i * WORDS + Digest.WORDS, Signature.SLOTS);
        }

        /** Returns the next lookup, read into one reused object as a receiver does. */
        Lookup next() {
            next = (next + 1) & (QUESTIONS - 1);
            System.arraycopy(questions, next * WORDS, lookup.digest(), 0, Digest.WORDS);
            System.arraycopy(questions, next * WORDS + Digest.WORDS, lookup.shingles(), 0, Signature.SLOTS);
            return lookup;
        }
    }

    /** Lookups without a match. */
    @State(Scope.Benchmark)
    public static class Misses {
        /** Creates the lookups. */
        @Setup
        public void ask(Stored stored) {
            for (int i = 0; i < QUESTIONS; i++) {
                Synthetic.digest(-1L - i, stored.lookup.digest());
                Synthetic.shingles(-1L - i, stored.lookup.shingles());
                stored.keep(i);
            }
        }
    }

    /** Lookups of stored digests. */
    @State(Scope.Benchmark)
    public static class Exact {
        /** Creates the lookups. */
        @Setup
        public void ask(Stored stored) {
            SplittableRandom random = new SplittableRandom(1);
            for (int i = 0; i < QUESTIONS; i++) {
                int n = random.nextInt(stored.hashes);
                Synthetic.digest(n, stored.lookup.digest());
                Synthetic.shingles(n, stored.lookup.shingles());
                stored.keep(i);
            }
        }
    }

    /** Lookups of near duplicates. */
    @State(Scope.Benchmark)
    public static class Similar {
        /** Number of the 32 slots shared with a stored hash. */
        @Param({"17", "20", "24", "31", "32"})
        public int equal;

        /** Creates the lookups. */
        @Setup
        public void ask(Stored stored) {
            SplittableRandom random = new SplittableRandom(1);
            for (int i = 0; i < QUESTIONS; i++) {
                Synthetic.digest(-1L - i, stored.lookup.digest());
                Synthetic.similar(random.nextInt(stored.hashes), equal, random, stored.lookup.shingles());
                stored.keep(i);
            }
        }
    }

    @Benchmark
    public boolean miss(Stored stored, Misses asked) {
        return stored.index.find(stored.next(), Long.MIN_VALUE);
    }

    @Benchmark
    public boolean exactHit(Stored stored, Exact asked) {
        return stored.index.find(stored.next(), Long.MIN_VALUE);
    }

    @Benchmark
    public boolean similarHit(Stored stored, Similar asked) {
        return stored.index.find(stored.next(), Long.MIN_VALUE);
    }

    /** Adds a hash and removes an old one, so that the size stays constant. */
    @Benchmark
    public HashIndex insertAndRemove(Stored stored) {
        long n = stored.added++;
        stored.index.apply(
                new Update.Write(Synthetic.digest(stored.hashes + n), 1, 1, 1, Synthetic.signature(stored.hashes + n)));
        stored.index.apply(new Update.DeleteAll(Synthetic.digest(n)));
        return stored.index;
    }
}
