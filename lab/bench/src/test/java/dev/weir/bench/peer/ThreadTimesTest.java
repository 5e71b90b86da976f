package dev.weir.bench.peer;

import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ThreadTimesTest {
    private static final long BUSY = 50_000_000;

    @Test
    void countsTheThreadsOfANameAlone() throws Exception {
        long pid = ProcessHandle.current().pid();
        ThreadTimes before = ThreadTimes.of(pid);
        AtomicBoolean ended = new AtomicBoolean();
        Thread busy = Thread.ofPlatform().name("times-busy").daemon().start(() -> {
            while (!ended.get()) {
                Thread.onSpinWait();
            }
        });
        Thread idle = Thread.ofPlatform().name("times-idle").daemon().start(() -> {
            try {
                busy.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        try {
            long end = System.nanoTime() + 60_000_000_000L;
            long used = 0;
            while (used < BUSY && System.nanoTime() < end) {
                used = ThreadTimes.of(pid).since(before, "times-busy"::equals);
            }
            ThreadTimes after = ThreadTimes.of(pid);
            assertThat(used).isGreaterThanOrEqualTo(BUSY);
            assertThat(after.since(before, "times-idle"::equals)).isBetween(0L, BUSY - 1);
            assertThat(after.since(before, _ -> true)).isGreaterThanOrEqualTo(used);
            assertThat(after.since(after, _ -> true)).isZero();
        } finally {
            ended.set(true);
            idle.join();
        }
    }
}
