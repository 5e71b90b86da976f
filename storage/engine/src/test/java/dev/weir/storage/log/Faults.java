package dev.weir.storage.log;

import java.util.Map;
import java.util.SplittableRandom;

/** The random failures of calls, with counts. */
final class Faults {
    private final SplittableRandom random;
    private final Map<Fault, Long> counts;
    private double rate;
    private long injected;

    /** Creates failures that are counted in {@code counts}. */
    Faults(SplittableRandom random, Map<Fault, Long> counts) {
        this.random = random;
        this.counts = counts;
    }

    /** Sets the probability with which a call of weight 1 fails; 0 for no failures. */
    void rate(double probability) {
        rate = probability;
    }

    double rate() {
        return rate;
    }

    boolean happens(Fault fault) {
        if (rate == 0 || random.nextDouble() >= rate * fault.weight) {
            return false;
        }
        note(fault);
        if (fault != Fault.SHORT_READ && fault != Fault.SHORT_WRITE) {
            injected++;
        }
        return true;
    }

    void note(Fault fault) {
        counts.merge(fault, 1L, Long::sum);
    }

    /** Counts a failure that is caused by the state of the simulated machine rather than by chance. */
    void refuse(Fault fault) {
        note(fault);
        injected++;
    }

    /** Returns how often a failure occurred. */
    long count(Fault fault) {
        return counts.getOrDefault(fault, 0L);
    }

    /** Returns the number of failed calls. */
    long injected() {
        return injected;
    }

    boolean coin() {
        return random.nextBoolean();
    }

    int below(int bound) {
        return random.nextInt(bound);
    }
}
