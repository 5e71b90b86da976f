package dev.weir.storage.log;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.model.KeyedHash;
import dev.weir.storage.Samples;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.queue.RecentRequests;
import dev.weir.storage.queue.StorageClock;
import dev.weir.storage.queue.Timing;
import dev.weir.storage.queue.UpdateQueue;
import dev.weir.storage.queue.UpdateWriter;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of sequential clients with the real writer's thread on a disk with slow syncs. */
class SlowDiskTest {
    private static final LogLimits LIMITS = new LogLimits(1 << 20, 64 << 20, 0, Duration.ZERO, 0, LogLimits.REPEATS);
    private static final int CLIENTS = 64;
    private static final int LEARNS = 60 * CLIENTS;

    private final LogFixture fixture = new LogFixture();
    private final UpdateQueue queue = new UpdateQueue(256);
    private final AtomicInteger number = new AtomicInteger();
    private final CountDownLatch stored = new CountDownLatch(LEARNS);

    private void learn(Runnable afterwards) {
        queue.offer(new QueuedUpdate(Samples.write(number.incrementAndGet(), 1, 1, 1, null), UpdateOrigin.STORAGE,
                new QueuedUpdate.Outcome() {
                    @Override
                    public void stored() {
                        stored.countDown();
                        afterwards.run();
                    }

                    @Override
                    public void failed() {
                        throw new AssertionError("nothing fails here");
                    }
                }));
    }

    /** They come back two milliseconds after they were answered, when the next sync would have begun without them. */
    @Test
    void aSlowSyncServesAllSequentialClients() throws Exception {
        fixture.disk.forceTakes(Duration.ofMillis(20));
        try (UpdateLog log = fixture.open(fixture.disk, LIMITS, 0)) {
            Timing timing = new Timing(Duration.ZERO, Duration.ofSeconds(1));
            HashIndex index = new HashIndex(new KeyedHash(1, 2));
            UpdateWriter writer = new UpdateWriter(queue, log, index, pending -> index.apply(pending.update()),
                    UpdateWriter.Acknowledge.DURABLE, timing,
                    new StorageClock(InstantSource.system(), System::nanoTime, timing), System::nanoTime,
                    new RecentRequests(System::nanoTime, KeyedHash::random), () -> {});
            List<Runnable> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int own = i;
                clients.add(() -> {
                    if (number.get() < LEARNS) {
                        after(2, () -> learn(clients.get(own)));
                    }
                });
            }
            // Half of them come while the others are served, as happens in practice sooner or later.
            clients.subList(0, CLIENTS / 2).forEach(this::learn);
            after(10, () -> clients.subList(CLIENTS / 2, CLIENTS).forEach(this::learn));
            Thread thread = new Thread(writer);
            thread.start();
            assertThat(stored.await(1, TimeUnit.MINUTES)).isTrue();
            writer.finish();
            thread.join();
            assertThat(LEARNS / writer.forces()).isGreaterThan(CLIENTS * 3 / 4);
        }
    }

    private static void after(int millis, Runnable action) {
        CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS).execute(action);
    }
}
