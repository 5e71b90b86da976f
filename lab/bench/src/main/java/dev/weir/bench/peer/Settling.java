package dev.weir.bench.peer;

import java.io.IOException;
import java.time.Duration;

import dev.weir.bench.load.Asker;

/**
 * A wait until a backend holds the acknowledged hashes. It ends early when nothing changes for some time although the
 * server answers; a server within a long transaction may not answer.
 *
 * @param stored the number of hashes at the end
 * @param took time until that number was reached
 */
public record Settling(long stored, Duration took) {
    private static final Duration POLL = Duration.ofMillis(500);

    /** Waits for this many hashes, at most for the limit, and at most {@code quiet} without a change. */
    static Settling await(PeerProcess peer, long expected, Duration quiet, Duration limit)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        long count = -1;
        long changed = start;
        long quietSince = start;
        try (Asker asker = new Asker(peer.address())) {
            while (true) {
                long now = peer.contents().count();
                long time = System.nanoTime();
                if (now != count) {
                    count = now;
                    changed = time;
                    quietSince = time;
                }
                if (count >= expected || time - quietSince >= quiet.toNanos() || time - start >= limit.toNanos()) {
                    return new Settling(count, Duration.ofNanos(changed - start));
                }
                if (asker.count(1).isEmpty()) {
                    quietSince = System.nanoTime();
                }
                Thread.sleep(POLL);
            }
        }
    }
}
