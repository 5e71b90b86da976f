package dev.weir.storage.queue;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GroupCommitDelayTest {
    private static final long QUICK = TimeUnit.MICROSECONDS.toNanos(200);

    private final GroupCommitDelay gathering = new GroupCommitDelay();

    @Test
    void doesNotWaitForFastSyncs() {
        sync(QUICK, 100);
        assertThat(gathering.patience()).isZero();
    }

    @Test
    void oneSlowSyncCausesNoWait() {
        sync(QUICK, 100);
        sync(TimeUnit.MILLISECONDS.toNanos(5), 1);
        assertThat(gathering.patience()).isZero();
    }

    @Test
    void waitsAPartOfASlowSyncForTheSameClients() {
        sync(TimeUnit.MILLISECONDS.toNanos(8), 100);
        assertThat(gathering.patience()).isBetween(TimeUnit.MICROSECONDS.toNanos(1_900),
                TimeUnit.MILLISECONDS.toNanos(2));
        assertThat(gathering.crowd()).isEqualTo(64);
    }

    @Test
    void aStalledDiskDoesNotLengthenTheWait() {
        sync(TimeUnit.SECONDS.toNanos(10), 100);
        assertThat(gathering.patience()).isEqualTo(GroupCommitDelay.MOST);
    }

    private void sync(long nanos, int times) {
        for (int i = 0; i < times; i++) {
            gathering.synced(nanos, 40, 24);
        }
    }
}
