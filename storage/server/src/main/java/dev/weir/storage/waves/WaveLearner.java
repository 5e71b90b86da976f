package dev.weir.storage.waves;

import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.model.Update;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.engine.LiveHashes;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.queue.QueuedUpdate;

/** Learns the hashes of groups, with a reason for the audit trail and an identifier by which they are undone as one. */
final class WaveLearner {
    private static final long HOUR_MILLIS = TimeUnit.HOURS.toMillis(1);

    private final LiveHashes hashes;
    private final SecureRandom random;

    /** The times of automatic learns in the last hour. */
    private final Deque<Long> recent = new ArrayDeque<>();

    WaveLearner(LiveHashes hashes, SecureRandom random) {
        this.hashes = hashes;
        this.random = random;
    }

    /** Takes a place for an automatic learn. Returns false if the last hour has too many. */
    boolean takePlace(int mostPerHour, long millis) {
        while (!recent.isEmpty() && recent.getFirst() <= millis - HOUR_MILLIS) {
            recent.removeFirst();
        }
        if (recent.size() >= mostPerHour) {
            return false;
        }
        recent.addLast(millis);
        return true;
    }

    /**
     * Learns the hashes of a group.
     *
     * @param by who learns them, with the reason
     * @return completes with the number of stored hashes, once all have an outcome
     */
    CompletableFuture<Integer> learn(List<WaveReport.Member> members, int flag, int weight, UpdateSubmitter by,
            long millis) {
        CompletableFuture<Integer> done = new CompletableFuture<>();
        List<WaveReport.Member> whole = members.stream().filter(WaveReport.Member::learnable).toList();
        AtomicInteger open = new AtomicInteger(whole.size() + 1);
        AtomicInteger stored = new AtomicInteger();
        // With an address, the log keeps who learned it; with a tag of its own, it repeats no earlier request.
        UpdateOrigin origin = new UpdateOrigin(InetAddress.getLoopbackAddress(), 0, random.nextInt(), null, by);
        Runnable end = () -> {
            if (open.decrementAndGet() == 0) {
                done.complete(stored.get());
            }
        };
        QueuedUpdate.Outcome outcome = new QueuedUpdate.Outcome() {
            @Override
            public void stored() {
                stored.incrementAndGet();
                end.run();
            }

            @Override
            public void failed() {
                end.run();
            }
        };
        long now = hashes.recordedSeconds(millis);
        for (WaveReport.Member member : whole) {
            Update write = new Update.Write(member.digest(), flag, weight, now, member.signature().orElse(null));
            if (!hashes.offer(new QueuedUpdate(write, origin, outcome))) {
                outcome.failed();
            }
        }
        end.run();
        return done;
    }
}
