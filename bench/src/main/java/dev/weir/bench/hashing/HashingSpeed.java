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

/** Measures how fast mails are hashed, and with how much memory, on the thread that calls. */
public final class HashingSpeed {
    /** Rounds over the folder that count, and that must bring nothing better: then the compiler has done its work. */
    private static final int ROUNDS = 30;
    /** What is better, as a share: less is noise. */
    private static final double BETTER = 0.97;
    /** A machine that never comes to rest is measured as it is after so many rounds. */
    private static final int MOST_ROUNDS = 1_000;
    private static final int LEAST_RUNS = 3;
    private static final long LEAST_NANOS = 300_000_000L;

    private final MailHasher hasher;
    private final HashRule rule;
    /** Where results go, so that no hash is made for nothing. */
    private long sink;

    public HashingSpeed(MailHasher hasher, HashRule rule) {
        this.hasher = hasher;
        this.rule = rule;
    }

    /**
     * A folder hashed once, when everything is warm.
     *
     * @param mails  in the folder
     * @param bytes  of all mails
     * @param nanos  that it took
     */
    public record Folder(int mails, long bytes, long nanos) {
        /** Mails a second. */
        public double mailsPerSecond() {
            return mails * 1e9 / nanos;
        }

        /** Millions of bytes a second. */
        public double megabytesPerSecond() {
            return bytes * 1e3 / nanos;
        }
    }

    /** Hashes every mail of a folder, until it gets no faster, and gives the median of the rounds since then. */
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

    /** Nanoseconds for one mail: the fastest of some runs, more runs the faster they are. */
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

    /** A mail that costs too much ends as well, and what it took until then counts. */
    private void hashOrGiveUp(byte[] mail) {
        try {
            sink += hasher.hash(mail, rule).size();
        } catch (NotHashedException tooCostly) {
            sink++;
        }
    }

    /** Bytes that hashing one mail allocates, garbage included: a bound of what it can hold at a time. */
    public long allocated(byte[] mail) {
        if (!(ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads)) {
            return -1;
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        hashOrGiveUp(mail);
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    /** How many hashes were made in all. */
    public long hashes() {
        return sink;
    }
}
