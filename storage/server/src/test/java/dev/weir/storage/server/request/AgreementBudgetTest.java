package dev.weir.storage.server.request;

import java.net.InetAddress;
import java.util.concurrent.atomic.AtomicLong;

import dev.weir.model.KeyedHash;
import dev.weir.storage.access.gate.Source;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class AgreementBudgetTest {
    private static final long SECOND = 1_000_000_000L;

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000);
    private final AgreementBudget budget = new AgreementBudget(now::get, new KeyedHash(1, 2));
    private final Source source = new Source();

    private Source at(String address) {
        source.set(InetAddress.ofLiteral(address), true);
        return source;
    }

    private int takeAll(String address) {
        int taken = 0;
        while (budget.take(at(address))) {
            taken++;
        }
        return taken;
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.3.2.1", "::1"})
    void admitsABurstAndThenTheRate(String local) {
        assertThat(takeAll(local)).isEqualTo(AgreementBudget.BURST);
        now.addAndGet(SECOND / AgreementBudget.RATE * 3);
        assertThat(takeAll(local)).isEqualTo(3);
        now.addAndGet(1);
        assertThat(takeAll(local)).isZero();
        now.addAndGet(3_600 * SECOND);
        assertThat(takeAll(local)).isEqualTo(AgreementBudget.BURST);
    }

    @Test
    void localAndRemoteClientsHaveSeparateBudgets() {
        takeAll("192.0.2.1");
        assertThat(takeAll("127.0.0.1")).isEqualTo(AgreementBudget.BURST);
        source.setUnixSocket();
        assertThat(budget.take(source)).as("a Unix-domain socket counts as local").isFalse();
        now.addAndGet(SECOND);
        takeAll("127.0.0.1");
        assertThat(budget.take(at("192.0.2.1"))).isTrue();
    }

    @Test
    void floodFromOneNetworkLocksNoOtherOut() {
        int flooded = 0;
        int served = 0;
        // For five seconds, one network sends 100,000 new keys per second, and a new client of another network arrives
        // every 10 ms.
        for (int i = 0; i < 500_000; i++) {
            now.addAndGet(SECOND / 100_000);
            flooded += budget.take(at("192.0.2." + i % 256)) ? 1 : 0;
            if (i % 1_000 == 999) {
                served += budget.take(at("198.51." + i / 1_000 % 100 + ".7")) ? 1 : 0;
            }
        }
        assertThat(served).isEqualTo(500);
        assertThat(flooded).as("the flood gets the unused rest of the budget").isBetween(9_000, 10_032);
    }

    @Test
    void singleNetworkGetsTheFullRate() {
        int taken = 0;
        for (int i = 0; i < 40_000; i++) {
            now.addAndGet(SECOND / 10_000);
            taken += budget.take(at("2001:db8:7:" + Integer.toHexString(i & 0xffff) + "::1")) ? 1 : 0;
        }
        assertThat(taken).isBetween(7_900, 8_100);
        now.addAndGet(SECOND);
        assertThat(takeAll("2001:db8:7::1")).isEqualTo(AgreementBudget.BURST - AgreementBudget.KEPT);
        assertThat(takeAll("2001:db8:8::1")).as("a neighbor").isEqualTo(AgreementBudget.SMALL_BURST);
    }
}
