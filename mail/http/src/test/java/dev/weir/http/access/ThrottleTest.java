package dev.weir.http.access;

import java.net.InetAddress;
import java.util.concurrent.atomic.AtomicLong;

import dev.weir.http.server.Client;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class ThrottleTest {
    private static final long SECOND = 1_000_000_000L;
    private final AtomicLong time = new AtomicLong(-5);
    private final Throttle throttle = new Throttle(10, 60, 100, time::get);

    private static ClientNetwork address(String text) {
        return ClientNetwork.of(Client.of(InetAddress.ofLiteral(text)));
    }

    @Test
    void refusesAnAddressAfterTenFailuresUntilTheyExpire() {
        ClientNetwork guesser = address("192.0.2.1");
        for (int i = 0; i < 10; i++) {
            assertThat(throttle.refuses(guesser)).isFalse();
            throttle.failed(guesser);
        }
        throttle.failed(guesser);
        assertThat(throttle.refuses(guesser)).isTrue();
        assertThat(throttle.refuses(address("192.0.2.2"))).isFalse();
        time.addAndGet(5 * SECOND);
        assertThat(throttle.refuses(guesser)).as("one failure takes six seconds").isTrue();
        time.addAndGet(2 * SECOND);
        assertThat(throttle.refuses(guesser)).isFalse();
        throttle.failed(guesser);
        assertThat(throttle.refuses(guesser)).isTrue();
        throttle.succeeded(guesser);
        assertThat(throttle.refuses(guesser)).isFalse();
    }

    @Test
    void admitsAGuesserAfterOneQuietWindow() {
        ClientNetwork guesser = address("192.0.2.1");
        for (int i = 0; i < 100_000; i++) {
            throttle.failed(guesser);
        }
        time.addAndGet(60 * SECOND);
        assertThat(throttle.refuses(guesser)).isFalse();
    }

    @Test
    void keepsFailuresWithOtherLimits() {
        ClientNetwork guesser = address("192.0.2.1");
        for (int i = 0; i < 5; i++) {
            throttle.failed(guesser);
        }
        assertThat(throttle.refuses(guesser)).isFalse();
        assertThat(throttle.with(5, 60).refuses(guesser)).isTrue();
        assertThat(throttle.with(6, 60).refuses(guesser)).isFalse();
        time.addAndGet(60 * SECOND);
        assertThat(throttle.with(1, 60).refuses(guesser)).isFalse();
    }

    @Test
    void ipv6CountsByNetwork() {
        for (int i = 0; i < 10; i++) {
            throttle.failed(address("2001:db8::" + i));
        }
        assertThat(throttle.refuses(address("2001:db8::ffff"))).isTrue();
        assertThat(throttle.refuses(address("2001:db8:0:1::1"))).isFalse();
    }

    @Test
    void aFloodOfAddressesIsBoundedAndDoesNotHideTheBusiestGuesser() {
        ClientNetwork guesser = address("192.0.2.1");
        for (int i = 0; i < 10; i++) {
            throttle.failed(guesser);
        }
        for (int i = 0; i < 10_000; i++) {
            throttle.failed(address("10.1." + i / 256 + "." + i % 256));
        }
        assertThat(throttle.size()).isLessThanOrEqualTo(100);
        assertThat(throttle.refuses(guesser)).isTrue();
    }

    @Test
    void reportsTheFirstRefusalAndTheRemainingGuesses() {
        ClientNetwork guesser = address("192.0.2.1");
        assertThat(throttle.left(guesser)).isEqualTo(10);
        for (int i = 0; i < 9; i++) {
            assertThat(throttle.failed(guesser)).isFalse();
        }
        assertThat(throttle.left(guesser)).isEqualTo(1);
        assertThat(throttle.failed(guesser)).isTrue();
        assertThat(throttle.failed(guesser)).isFalse();
        assertThat(throttle.left(address("192.0.2.2"))).isEqualTo(10);
    }

    @Test
    void clientsBehindUnixSocketsCountTogether() {
        for (int i = 0; i < 10; i++) {
            throttle.failed(ClientNetwork.of(Client.UNIX));
        }
        assertThat(throttle.refuses(ClientNetwork.of(Client.UNIX))).isTrue();
        assertThat(throttle.refuses(address("127.0.0.1"))).isFalse();
        assertThat(throttle.refuses(address("0.0.0.0"))).isFalse();
    }

    @Test
    void zeroDisablesTheLimit() {
        Throttle off = new Throttle(0, 60, 2, time::get);
        off.failed(address("192.0.2.1"));
        assertThat(off.refuses(address("192.0.2.1"))).isFalse();
        assertThat(off.size()).isZero();
    }
}
