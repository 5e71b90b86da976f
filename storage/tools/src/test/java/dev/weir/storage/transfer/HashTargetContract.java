package dev.weir.storage.transfer;

import java.util.List;
import java.util.stream.LongStream;

import dev.weir.model.FlagValue;
import dev.weir.storage.Samples;
import dev.weir.storage.StoredHash;
import dev.weir.storage.transfer.HashTarget.Item;
import dev.weir.storage.transfer.HashTarget.Plan;
import dev.weir.storage.transfer.HashTarget.Written;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The behavior that a transfer relies on in every {@link HashTarget} that keeps hashes; each implementation has a test
 * class that extends this one.
 */
public abstract class HashTargetContract {
    private static final int COUNT = 10;
    private static final Plan PLAN = new Plan(4711, COUNT, Merge.MAX, false);

    /** Opens the target; empty at first, and with its contents when it is opened again. */
    protected abstract HashTarget open() throws Exception;

    /** Returns the hashes of the finished target, in any order. */
    protected abstract List<StoredHash> contents() throws Exception;

    private static Item item(long n) {
        return new Item(n, new StoredHash(Samples.digest(n), List.of(new FlagValue(1, n, 1_000)),
                n % 3 == 0 ? null : Samples.signature(n)));
    }

    private static List<Item> items(long first, long last) {
        return LongStream.rangeClosed(first, last).mapToObj(HashTargetContract::item).toList();
    }

    private static Written write(HashTarget target, long after) throws Exception {
        Written written = Written.NONE;
        for (long n = Math.max(0, after) + 1; n <= COUNT; n += 4) {
            written = written.plus(target.write(items(n, Math.min(COUNT, n + 3)), new Omissions()));
        }
        return written;
    }

    private void assertComplete() throws Exception {
        assertThat(contents())
                .containsExactlyInAnyOrderElementsOf(items(1, COUNT).stream().map(Item::hash).toList());
    }

    @Test
    void aNewTargetStartsFromTheBeginning() throws Exception {
        try (HashTarget target = open()) {
            assertThat(target.begin(PLAN)).isEqualTo(HashSource.START);
        }
    }

    @Test
    void aFinishedTargetContainsEveryHash() throws Exception {
        try (HashTarget target = open()) {
            assertThat(write(target, target.begin(PLAN))).isEqualTo(new Written(COUNT, 0, 0));
            target.finish();
        }
        assertComplete();
    }

    @Test
    void anInterruptedTransferLosesNoHash() throws Exception {
        try (HashTarget target = open()) {
            target.begin(PLAN);
            target.write(items(1, 4), new Omissions());
        }
        try (HashTarget target = open()) {
            long after = target.begin(PLAN);
            assertThat(after).isIn(HashSource.START, 4L);
            write(target, after);
            target.finish();
        }
        assertComplete();
    }

    @Test
    void hasANameForUsers() throws Exception {
        try (HashTarget target = open()) {
            assertThat(target.name()).isNotBlank();
        }
    }
}
