package dev.weir.storage.server.udp;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import dev.weir.storage.server.stats.Counters;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class ReceiverTest {
    @Test
    void aHandlerThatHangsIsNoticedAndOneThatWaitsIsNot() throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        Receiver receiver = Receiver.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1, new Counters())
                .getFirst();
        Thread thread = Thread.ofPlatform().start(() -> receiver.run((_, _, _, _) -> {
            called.countDown();
            awaitUninterruptibly(released);
            return 0;
        }));
        try (DatagramSocket client = new DatagramSocket()) {
            assertThat(receiver.working(System.nanoTime())).isZero();
            client.send(new DatagramPacket(new byte[10], 10, receiver.address()));
            called.await();
            long now = System.nanoTime();
            long first = receiver.working(now);
            assertThat(receiver.working(now + 1_000)).isEqualTo(first + 1_000);
            released.countDown();
            await("nothing is worked on").atMost(Duration.ofMinutes(1))
                    .until(() -> receiver.working(System.nanoTime()) == 0);
        } finally {
            released.countDown();
            receiver.stop();
            thread.join();
            receiver.close();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
