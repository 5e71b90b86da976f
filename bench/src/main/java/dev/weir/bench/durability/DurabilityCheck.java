package dev.weir.bench.durability;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;

import dev.weir.bench.load.Asker;
import dev.weir.bench.load.Learns;
import dev.weir.bench.peer.PeerProcess;
import dev.weir.wire.reply.Reply;

/**
 * Asks a storage for what it has acknowledged: the number of hashes, and a sample with exactly the weight that was
 * learned.
 *
 * @param complaints what is not as it should be; none if all is well
 */
record DurabilityCheck(List<String> complaints) {
    /** So many are checked one by one. */
    static final int SAMPLE = 1000;

    /**
     * What the storage must have.
     *
     * @param known the first so many of the list
     * @param acknowledged these of the list, which are not among the first
     * @param unsure so many more may be there: updates whose reply was lost
     */
    record Promise(Learns learns, int known, BitSet acknowledged, int unsure) {
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
                complaints.add(String.format(Locale.ROOT, "%s: %d of a sample of %d are missing or have another weight",
                        when, wrong, SAMPLE));
            }
        }
        return new DurabilityCheck(complaints);
    }

    private static int wrongOfSample(Asker asker, Promise promise) throws IOException {
        SplittableRandom random = new SplittableRandom(promise.acknowledged().cardinality());
        int wrong = 0;
        for (int i = 0; i < SAMPLE && !promise.acknowledged().isEmpty(); i++) {
            int last = promise.acknowledged().length();
            int number = promise.acknowledged().nextSetBit(random.nextInt(last));
            Optional<Reply> reply = asker.check(promise.learns().digest(number));
            boolean right = reply.isPresent() && reply.get().isMatch() && reply.get().flag() == Learns.FLAG
                    && reply.get().value() == promise.learns().weight(number);
            wrong += right ? 0 : 1;
        }
        return wrong;
    }
}
