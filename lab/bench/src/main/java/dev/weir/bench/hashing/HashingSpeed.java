package dev.weir.bench.hashing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.hash.effort.NotHashedException;

/** Measures the speed and the memory of hashing in the calling thread. */
public final class HashingSpeed {
    /** Number of rounds without improvement after which the JIT compiler counts as finished; these rounds count. */
    private static final int ROUNDS = 30;
    /** Smallest share that counts as an improvement; less is noise. */
    private static final double BETTER = 0.97;
    /** Maximum number of rounds on a machine that never settles. */
    private static final int MOST_ROUNDS = 1_000;
    private static final int LEAST_RUNS = 3;
    private static final long LEAST_NANOS = 300_000_000L;

    private final MailHasher hasher;
    private final HashRule rule;
    /** Consumes the results, so that no hashing is optimized away. */
    private long sink;

    public HashingSpeed(MailHasher hasher, HashRule rule) {
        this.hasher = hasher;
        this.rule = rule;
    }

    /**
     * The cost of hashing a folder once with warm caches.
     *
     * @param mails  number of mails
     * @param bytes  total size of the mails
     * @param nanos  duration in nanoseconds
     */
    public record Folder(int mails, long bytes, long nanos) {
        /** Returns the mails per second. */
        public double mailsPerSecond() {
            return mails * 1e9 / nanos;
        }

        /** Returns the millions of bytes per second. */
        public double megabytesPerSecond() {
            return bytes * 1e3 / nanos;
        }
    }

    /** Hashes a folder until it gets no faster, and returns the median of the rounds since then. */
    public Folder folder(Path folder) throws IOException {
        List<byte[]> mails;
        try (Stream<Path> files = Files.walk(folder)) {
            mails = files.filter(Files::isRegularFile).sorted().map(HashingSpeed::read).toList();
        }
        long best = Long.MAX_VALUE;
        List<Long> since = new ArrayList<>();
        for (int round = 0; round < MOST_ROUNDS && since.size() < ROUNDS; round++) {
            long start = System.nanoTime();
            mails.forEach(mail -> sink += hasher.hash(mail, rule).size());
            long nanos = System.nanoTime() - start;
            if (nanos < BETTER * best) {
                best = nanos;
                since.clear();
            }
            since.add(nanos);
        }
        Collections.sort(since);
        return new Folder(mails.size(), mails.stream().mapToLong(mail -> mail.length).sum(),
                since.get(since.size() / 2));
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the nanoseconds for one mail: the fastest of several runs, with more runs for faster mails. */
    public long nanos(byte[] mail) {
        long best = Long.MAX_VALUE;
        long spent = 0;
        for (int run = 0; run < LEAST_RUNS || (spent < LEAST_NANOS && run < 2_000); run++) {
            long start = System.nanoTime();
            hashOrGiveUp(mail);
            long nanos = System.nanoTime() - start;
            spent += nanos;
            best = Math.min(best, nanos);
        }
        return best;
    }

    /** A mail that exceeds the time limit is abandoned, and the time until then counts. */
    private void hashOrGiveUp(byte[] mail) {
        try {
            sink += hasher.hash(mail, rule).size();
        } catch (NotHashedException tooCostly) {
            sink++;
        }
    }

    /** Returns the bytes that hashing a mail allocates, garbage included: an upper bound of its memory. */
    public long allocated(byte[] mail) {
        if (!(ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads)) {
            return -1;
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        hashOrGiveUp(mail);
        return threads.getCurrentThreadAllocatedBytes() - before;
    }
}
