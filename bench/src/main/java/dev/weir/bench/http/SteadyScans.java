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
 * Scans at a rate that does not wait for answers, by several scanners in turn, so that whatever else the machine does
 * befalls all of them alike. Latency counts from the moment at which a mail was due.
 */
public final class SteadyScans {
    private SteadyScans() {}

    /**
     * One scan.
     *
     * @param due when, in nanoseconds from the beginning
     * @param took nanoseconds from then to its reply
     * @param answered whether the reply was a success to which every storage had its say
     */
    public record Scan(long due, long took, boolean answered) {}

    /**
     * Scans for a time.
     *
     * @param rate mails a second, for each of the scanners
     * @return what came of it by scanner, in no order
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
                    // It counts as one without an answer.
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
