package dev.weir.bench.durability;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;

import dev.weir.bench.load.Asker;
import dev.weir.bench.peer.PeerProcess;
import dev.weir.load.population.Population;
import dev.weir.wire.reply.Reply;

/**
 * A check that a storage has every hash it acknowledged: the number of hashes, and flag and value of a sample.
 *
 * @param complaints the differences; empty if there are none
 */
record DurabilityCheck(List<String> complaints) {
    /** Number of hashes that are checked one by one. */
    static final int SAMPLE = 1000;

    /**
     * The contents that the storage has promised.
     *
     * @param known number of hashes stored before, the first ones of the population
     * @param acknowledged numbers of the hashes acknowledged since
     * @param unsure number of further hashes that may be stored, because their reply was lost
     */
    record Promise(Population population, int known, BitSet acknowledged, int unsure) {
        long least() {
            return (long) known + acknowledged.cardinality();
        }
    }

    static DurabilityCheck of(String when, PeerProcess peer, Promise promise) throws IOException {
        List<String> complaints = new ArrayList<>();
        try (Asker asker = new Asker(peer.address())) {
            Optional<Long> count = asker.count(30);
            if (count.isEmpty()) {
                return new DurabilityCheck(List.of(when + ": the storage does not answer"));
            }
            if (count.get() < promise.least() || count.get() > promise.least() + promise.unsure()) {
                complaints.add(String.format(Locale.ROOT, "%s: %d hashes, %d were acknowledged and %d are unsure", when,
                        count.get(), promise.least(), promise.unsure()));
            }
            int wrong = wrongOfSample(asker, promise);
            if (wrong > 0) {
                complaints.add(String.format(Locale.ROOT,
                        "%s: %d of a sample of %d are missing or have another flag or value", when, wrong, SAMPLE));
            }
        }
        return new DurabilityCheck(complaints);
    }

    private static int wrongOfSample(Asker asker, Promise promise) throws IOException {
        SplittableRandom random = new SplittableRandom(promise.acknowledged().cardinality());
        Population population = promise.population();
        int wrong = 0;
        for (int i = 0; i < SAMPLE && !promise.acknowledged().isEmpty(); i++) {
            int last = promise.acknowledged().length();
            int number = promise.acknowledged().nextSetBit(random.nextInt(last));
            Optional<Reply> reply = asker.check(population.digest(number));
            boolean right = reply.filter(found -> population.isAnswer(number, found)).isPresent();
            wrong += right ? 0 : 1;
        }
        return wrong;
    }
}
