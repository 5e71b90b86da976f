package dev.weir.scan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.weir.hash.MailHasher;
import dev.weir.scan.rule.TestSettings;
import dev.weir.testkit.ScriptedStorage;
import dev.weir.wire.command.CommandCode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Measures what a server that falls silent under load costs the mails after the first second. */
final class DeadServerTest {
    private static final int PER_SECOND = 300;
    private static final int SECONDS = 3;
    private static final long TOLERATED_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** The start of a check since the start of the run, and its duration, both in nanoseconds. */
    private record Measured(long at, long took, boolean complete) {}

    @Test
    void silentServerAddsNoLatencyAfterTheFirstSecond() throws Exception {
        List<ScriptedStorage> storages = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            storages.add(ScriptedStorage.start());
        }
        // Both clients are asked in turn, so that other load on the machine affects both.
        try (FuzzyCheck healthy = client(storages.subList(0, 3)); FuzzyCheck hurt = client(storages.subList(1, 4))) {
            run(List.of(healthy, hurt), 1);
            List<Long> askedInVain = Collections.synchronizedList(new ArrayList<>());
            storages.get(3).script = command -> {
                if (command.code() == CommandCode.CHECK) {
                    askedInVain.add(System.nanoTime());
                }
                return false;
            };
            long died = System.nanoTime();
            List<List<Measured>> all = run(List.of(healthy, hurt), SECONDS);
            long[] three = after(all.get(0), 1);
            long[] two = after(all.get(1), 1);
            System.out.printf(
                    "dead server: p99 %.3f ms with three alive, %.3f ms with one of three dead (median %.3f and"
                            + " %.3f); in the first second at most %.1f ms%n",
                    percentile(three, 0.99) / 1e6,
                    percentile(two, 0.99) / 1e6, percentile(three, 0.5) / 1e6, percentile(two, 0.5) / 1e6,
                    all.get(1).stream().mapToLong(Measured::took).max().orElse(0) / 1e6);
            assertThat(all.get(1)).allMatch(Measured::complete);
            assertThat(askedInVain).as("the dead server was asked at first").isNotEmpty()
                    .as("no mail waits for it after the first second, unless a pause made all servers look silent")
                    .filteredOn(at -> at - died >= TimeUnit.SECONDS.toNanos(1))
                    .hasSizeLessThanOrEqualTo(PER_SECOND / 100);
            // A pause of the machine affects one or two mails of each client, so the test compares medians.
            assertThat(percentile(two, 0.5) - percentile(three, 0.5)).isLessThan(TOLERATED_NANOS);
        } finally {
            for (ScriptedStorage storage : storages) {
                storage.close();
            }
        }
    }

    private static FuzzyCheck client(List<ScriptedStorage> storages) throws Exception {
        String servers = String.join(",", storages.stream().map(ScriptedStorage::address).toList());
        return FuzzyCheck.open(TestSettings.of(
                "fuzzy_check { timeout = 1s; rule { servers = \"" + servers + "\"; hits_limit = 20 } }"),
                MailHasher.standard());
    }

    private static List<List<Measured>> run(List<FuzzyCheck> checks, int seconds) throws InterruptedException {
        byte[][] mails = new byte[16][];
        for (int i = 0; i < mails.length; i++) {
            mails[i] = TestMail.text(i);
        }
        List<ConcurrentLinkedQueue<Measured>> measured = List.of(new ConcurrentLinkedQueue<>(),
                new ConcurrentLinkedQueue<>());
        int count = PER_SECOND * seconds;
        CountDownLatch left = new CountDownLatch(count);
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            long due = start + TimeUnit.SECONDS.toNanos(1) / PER_SECOND * i;
            while (System.nanoTime() - due < 0) {
                LockSupport.parkNanos(due - System.nanoTime());
            }
            int client = i % 2;
            long begun = System.nanoTime();
            var _ = checks.get(client).check(mails[i % mails.length], ScanContext.NONE)
                    .whenComplete((result, error) -> {
                        measured.get(client).add(new Measured(begun - start, System.nanoTime() - begun,
                                error == null && result != null && result.complete()));
                        left.countDown();
                    });
        }
        assertThat(left.await(30, TimeUnit.SECONDS)).isTrue();
        return measured.stream().<List<Measured>>map(List::copyOf).toList();
    }

    private static long[] after(List<Measured> measured, int seconds) {
        return measured.stream()
                .filter(one -> one.at() >= TimeUnit.SECONDS.toNanos(seconds))
                .mapToLong(Measured::took)
                .sorted()
                .toArray();
    }

    private static long percentile(long[] sorted, double share) {
        assertThat(Arrays.stream(sorted).allMatch(took -> took > 0)).isTrue();
        return sorted[Math.min(sorted.length - 1, (int) (sorted.length * share))];
    }
}
