package dev.weir.bench.http;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * An open-loop load of scans that alternates between several scanners, so that other work of the machine affects all of
 * them alike. Latency counts from the moment at which a mail was due.
 */
public final class SteadyScans {
    private SteadyScans() {}

    /**
     * A scan.
     *
     * @param due planned start, in nanoseconds from the start of the load
     * @param took nanoseconds from the planned start to the reply
     * @param answered whether the scan succeeded with the answers of all storages
     */
    public record Scan(long due, long took, boolean answered) {}

    /**
     * Scans for a period.
     *
     * @param rate mails per second for each scanner
     * @return the scans by scanner, in no particular order
     * @throws IOException if some mails had no reply long after the end
     */
    public static List<List<Scan>> run(List<ScanLoad> scanners, double rate, Duration time)
            throws IOException, InterruptedException {
        List<ConcurrentLinkedQueue<Scan>> scans = new ArrayList<>();
        scanners.forEach(_ -> scans.add(new ConcurrentLinkedQueue<>()));
        long step = (long) (TimeUnit.SECONDS.toNanos(1) / (rate * scanners.size()));
        int count = (int) (time.toNanos() / step);
        CountDownLatch left = new CountDownLatch(count);
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            int mail = i / scanners.size();
            int scanner = i % scanners.size();
            long due = start + i * step;
            for (long early = due - System.nanoTime(); early > 0; early = due - System.nanoTime()) {
                LockSupport.parkNanos(early);
            }
            Thread.ofVirtual().start(() -> {
                boolean answered = false;
                try {
                    answered = scanners.get(scanner).isAnswered(mail);
                } catch (IOException e) {
                    // Counts as unanswered.
                } finally {
                    scans.get(scanner).add(new Scan(due - start, System.nanoTime() - due, answered));
                    left.countDown();
                }
            });
        }
        if (!left.await(1, TimeUnit.MINUTES)) {
            throw new IOException(left.getCount() + " mails had no reply a minute after the last was sent");
        }
        return scans.stream().map(List::copyOf).toList();
    }
}
