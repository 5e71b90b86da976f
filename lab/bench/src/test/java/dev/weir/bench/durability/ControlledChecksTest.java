package dev.weir.bench.durability;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import dev.weir.bench.load.CheckLoad;
import dev.weir.bench.load.Echo;
import dev.weir.bench.load.WarmUp;
import dev.weir.load.population.Population;
import dev.weir.testkit.DatagramPeer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ControlledChecksTest {
    private static final CheckLoad.Plan PLAN = new CheckLoad.Plan(new Population(1, 10), 1_000);

    @Test
    void theControlEndsWithTheChecks() throws Exception {
        CountDownLatch some = new CountDownLatch(50);
        try (DatagramPeer silent = DatagramPeer.start((_, _, _) -> some.countDown());
                Echo echo = Echo.start(_ -> {});
                ControlledChecks running = ControlledChecks.start(silent.address(), echo.address(), PLAN,
                        WarmUp.none(), Duration.ofDays(1))) {
            some.await();
            long from = System.nanoTime();
            ControlledChecks.Result result = running.end();
            long took = Duration.ofNanos(System.nanoTime() - from).toMillis();
            long sent = result.checks().sent();
            assertThat(result.checks().unanswered()).as("so the end waits two seconds").isEqualTo(sent);
            // One a millisecond. A control that went on during the wait would have one for nearly each of the end.
            assertThat(result.control().getTotalCount()).as("the end took %d ms, two seconds of them the wait", took)
                    .isLessThan(sent + took - 500);
        }
    }

    @Test
    void nothingStaysIfTheControlCannotStart() throws Exception {
        CountDownLatch some = new CountDownLatch(1);
        try (DatagramPeer silent = DatagramPeer.start((_, _, _) -> some.countDown())) {
            assertThatThrownBy(() -> ControlledChecks.start(silent.address(),
                    InetSocketAddress.createUnresolved("echo.invalid", 1), PLAN, WarmUp.none(), Duration.ofDays(1)))
                    .isInstanceOf(RuntimeException.class);
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (thread.getName().startsWith("checks-")) {
                    assertThat(thread.join(Duration.ofSeconds(30))).as(thread.getName()).isTrue();
                }
            }
        }
    }
}
