package dev.weir.storage.stats;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.model.AddressBits;
import dev.weir.model.KeyedHash;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class AddressTableTest {
    private final AtomicInteger budget = new AtomicInteger(100_000);
    private final AddressTable table = new AddressTable(new KeyedHash(5, 6), budget);

    private Map<InetAddress, Counts> counts() {
        Map<InetAddress, Counts> counts = new HashMap<>();
        table.addTo(counts);
        return counts;
    }

    @Test
    void growingTableRemembersAllOfAFewAddresses() {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 200; i++) {
                table.increment(0, AddressBits.mapped(i), Counts.CHECKED);
            }
        }
        assertThat(counts()).hasSize(200).allSatisfy((address, counts) -> assertThat(counts)
                .isEqualTo(new Counts(3, 0, 0, 0, 0)));
        assertThat(table.places()).isLessThanOrEqualTo(AddressTable.MAX_ENTRIES);
        assertThat(budget.get()).isEqualTo(100_000 - table.places());
    }

    @Test
    void floodIsBoundedAndKeepsTheLatestAddresses() {
        SplittableRandom random = new SplittableRandom(1);
        long latest = 0;
        for (int i = 0; i < 50_000; i++) {
            latest = random.nextLong();
            table.increment(1, latest, Counts.ERRORS);
        }
        assertThat(counts()).hasSizeLessThanOrEqualTo(AddressTable.MAX_ENTRIES).hasSizeGreaterThan(900)
                .containsEntry(AddressBits.address(1, latest), new Counts(0, 0, 0, 0, 1));
    }

    /** With multiplicative mixing, addresses whose halves cancel out would share a set for any seed. */
    @Test
    void chosenAddressesDoNotShareASet() {
        for (long i = 0; i < 64; i++) {
            long halves = i << 13;
            table.increment(1, 0x1234_5678_9abcL ^ (halves << 32 | halves), Counts.CHECKED);
        }
        assertThat(counts()).hasSize(64);
    }

    @Test
    void remembersNoAddressWithoutABudget() {
        budget.set(AddressTable.WAYS);
        table.increment(1, 2, Counts.CHECKED);
        assertThat(counts()).isEmpty();
    }

    /** Even addresses only check and odd ones only add, so a torn read would show both. */
    @Test
    void readersNeverSeeTheCountsOfAnotherAddress() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        Thread counting = Thread.ofPlatform().start(() -> {
            SplittableRandom random = new SplittableRandom(2);
            while (!stop.get()) {
                int address = random.nextInt(20_000);
                table.increment(0, AddressBits.mapped(address), address % 2 == 0 ? Counts.CHECKED : Counts.ADDED);
            }
        });
        try {
            await("a count").until(() -> !counts().isEmpty());
            for (int look = 0; look < 2_000; look++) {
                counts().forEach((address, counts) -> {
                    boolean even = AddressBits.low(address) % 2 == 0;
                    assertThat(even ? counts.added() : counts.checked()).as("%s: %s", address, counts).isZero();
                });
            }
        } finally {
            stop.set(true);
            counting.join();
        }
        assertThat(counts()).isNotEmpty();
    }
}
