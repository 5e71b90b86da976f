package dev.weir.bench.index;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import dev.weir.model.KeyedHash;
import dev.weir.model.Update;
import dev.weir.storage.StoredHash;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Lookup;
import org.HdrHistogram.Histogram;

/**
 * The growth of an index that is filled and then expires completely while a reader uses it.
 *
 * @param bytes additional resident memory when full
 * @param updates time of each update during growth, in nanoseconds
 * @param growing times of a concurrent reader during growth
 * @param expiring times of a concurrent reader during expiry
 */
public record Growth(long bytes, Histogram updates, Reading growing, Reading expiring) {
    /**
     * The times of a reader.
     *
     * @param lookups time of each lookup in nanoseconds
     * @param between time between two lookups in nanoseconds. The reader idles there for as long as a typical lookup
     *            takes, so pauses of the machine and the collector show up in both alike
     */
    public record Reading(Histogram lookups, Histogram between) {}

    private static final int PORTION = 2_000;
    private static final int DIGITS = 3;
    private static final long ORDINARY_NANOS = 10_000;

    /**
     * Fills an index.
     *
     * @param hashes how many
     * @param signatures whether they have signatures
     * @throws IOException if the system does not report resident memory
     */
    public static Growth measure(int hashes, boolean signatures) throws IOException, InterruptedException {
        // Excludes what is compiled and allocated once.
        fill(new AtomicReference<>(), Math.min(hashes, 100_000), signatures, new Histogram(DIGITS));
        long before = resident();
        AtomicReference<HashIndex> index = new AtomicReference<>();
        Histogram updates = new Histogram(DIGITS);
        Reading growing = readWhile(index, () -> fill(index, hashes, signatures, updates));
        long bytes = resident() - before;
        // Also keeps the index reachable until here.
        if (index.get().size() != hashes) {
            throw new IllegalStateException(index.get().size() + " of " + hashes + " hashes");
        }
        Reading expiring = readWhile(index, () -> expire(index.get()));
        if (index.get().size() != 0) {
            throw new IllegalStateException(index.get().size() + " hashes have not expired");
        }
        return new Growth(bytes, updates, growing, expiring);
    }

    private static Reading readWhile(AtomicReference<HashIndex> index, Runnable writing)
            throws InterruptedException {
        AtomicBoolean going = new AtomicBoolean(true);
        Reading reading = new Reading(new Histogram(DIGITS), new Histogram(DIGITS));
        Thread reader = Thread.ofPlatform().start(() -> read(index, going, reading));
        writing.run();
        going.set(false);
        reader.join();
        return reading;
    }

    private static void fill(AtomicReference<HashIndex> target, int hashes, boolean signatures, Histogram updates) {
        HashIndex index = new HashIndex(KeyedHash.random());
        target.set(index);
        List<StoredHash> portion = new ArrayList<>(PORTION);
        for (int from = 0; from < hashes; from += PORTION) {
            portion.clear();
            for (int n = from; n < Math.min(hashes, from + PORTION); n++) {
                portion.add(Synthetic.hash(n, signatures));
            }
            for (StoredHash hash : portion) {
                long start = System.nanoTime();
                index.load(hash);
                updates.recordValue(System.nanoTime() - start);
            }
        }
    }

    /** Applies updates as the writer of the storage does. */
    private static void expire(HashIndex index) {
        List<Update.Expire> due = new ArrayList<>();
        int from = 0;
        do {
            due.clear();
            from = index.collectExpired(from, PORTION, Long.MAX_VALUE, due);
            due.forEach(index::apply);
        } while (from != 0);
    }

    private static void read(AtomicReference<HashIndex> source, AtomicBoolean going, Reading target) {
        Lookup lookup = new Lookup();
        lookup.hasShingles(true);
        long end = System.nanoTime();
        for (long n = -1; going.get() || target.lookups().getTotalCount() == 0; n--) {
            HashIndex index = source.get();
            if (index != null) {
                Synthetic.digest(n, lookup.digest());
                Synthetic.shingles(n, lookup.shingles());
                long start = System.nanoTime();
                target.between().recordValue(start - end);
                index.find(lookup, Long.MIN_VALUE);
                end = System.nanoTime();
                target.lookups().recordValue(end - start);
                long rest = Math.min(end - start, ORDINARY_NANOS);
                while (System.nanoTime() - end < rest) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    /** Returns the resident memory of this process after a collection, in bytes. */
    private static long resident() throws IOException {
        System.gc();
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
            }
        }
        throw new IOException("/proc/self/status has no line VmRSS");
    }
}
