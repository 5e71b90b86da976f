package dev.weir.storage.server;

import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AgreementBudgetTest {
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000);
    private final AgreementBudget budget = new AgreementBudget(now::get);

    private int takeAll() {
        int taken = 0;
        while (budget.take()) {
            taken++;
        }
        return taken;
    }

    @Test
    void aBurstAndThenARate() {
        assertThat(takeAll()).isEqualTo(AgreementBudget.BURST);
        now.addAndGet(1_000_000_000L / AgreementBudget.RATE * 3);
        assertThat(takeAll()).isEqualTo(3);
        now.addAndGet(1);
        assertThat(takeAll()).isZero();
        now.addAndGet(3_600_000_000_000L);
        assertThat(takeAll()).isEqualTo(AgreementBudget.BURST);
    }
}
