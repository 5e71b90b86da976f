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
 * What a check and a learn cost in the index, by the number of hashes in it. Each question is another one, so that what
 * it needs is not in the processor's cache unless the whole index fits there.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 1, jvmArgs = {"-Xmx1g", "-XX:+UseZGC", "-XX:+UseCompactObjectHeaders",
    "--enable-native-access=ALL-UNNAMED"})
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class IndexBenchmark {
    /** Questions that are asked in turn. */
    private static final int QUESTIONS = 8192;

    /** Of a question: the digest, then the shingles. */
    private static final int WORDS = Digest.WORDS + Signature.SLOTS;

    /** The index. */
    @State(Scope.Benchmark)
    public static class Stored {
        /** Hashes in it, all with signatures. */
        @Param({"10000", "100000", "1000000", "10000000"})
        public int hashes;

        HashIndex index = new HashIndex(KeyedHash.random());
        final long[] questions = new long[QUESTIONS * WORDS];
        final Lookup lookup = new Lookup();
        int next;
        long added;

        /** Fills it. */
        @Setup
        public void fill() {
            index = new HashIndex(KeyedHash.random(), hashes, hashes);
            for (int i = 0; i < hashes; i++) {
                index.load(Synthetic.hash(i, true));
            }
            lookup.hasShingles(true);
        }

        /** Keeps what is in the lookup as a question. */
        void keep(int i) {
            System.arraycopy(lookup.digest(), 0, questions, i * WORDS, Digest.WORDS);
            System.arraycopy(lookup.shingles(), 0, questions, i * WORDS + Digest.WORDS, Signature.SLOTS);
        }

        /** Returns the next question, as a receiver reads it from a packet into a lookup that it uses all the time. */
        Lookup next() {
            next = (next + 1) & (QUESTIONS - 1);
            System.arraycopy(questions, next * WORDS, lookup.digest(), 0, Digest.WORDS);
            System.arraycopy(questions, next * WORDS + Digest.WORDS, lookup.shingles(), 0, Signature.SLOTS);
            return lookup;
        }
    }

    /** Questions that are not answered. */
    @State(Scope.Benchmark)
    public static class Misses {
        /** Makes them. */
        @Setup
        public void ask(Stored stored) {
            for (int i = 0; i < QUESTIONS; i++) {
                Synthetic.digest(-1L - i, stored.lookup.digest());
                Synthetic.shingles(-1L - i, stored.lookup.shingles());
                stored.keep(i);
            }
        }
    }

    /** Questions for digests that are there. */
    @State(Scope.Benchmark)
    public static class Exact {
        /** Makes them. */
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

    /** Questions for near duplicates. */
    @State(Scope.Benchmark)
    public static class Similar {
        /** Slots of 32 that they have in common with one hash. */
        @Param({"17", "20", "24", "31", "32"})
        public int equal;

        /** Makes them. */
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

    /** Returns a new hash, and the removal of an old one so that there are never more. */
    @Benchmark
    public HashIndex insertAndRemove(Stored stored) {
        long n = stored.added++;
        stored.index.apply(
                new Update.Write(Synthetic.digest(stored.hashes + n), 1, 1, 1, Synthetic.signature(stored.hashes + n)));
        stored.index.apply(new Update.DeleteAll(Synthetic.digest(n)));
        return stored.index;
    }
}
