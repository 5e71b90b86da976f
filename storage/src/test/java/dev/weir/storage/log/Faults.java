package dev.weir.storage.log;

import java.util.Map;
import java.util.SplittableRandom;

/** Decides at each call whether it goes wrong, and counts what did. */
final class Faults {
    private final SplittableRandom random;
    private final Map<Fault, Long> counts;
    private double rate;
    private long injected;

    /** Faults that are counted in {@code counts}. */
    Faults(SplittableRandom random, Map<Fault, Long> counts) {
        this.random = random;
        this.counts = counts;
    }

    /** From now on, a call of weight 1 goes wrong with this probability; 0 is a world without faults. */
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

    /** A refusal that comes from the world rather than from chance. */
    void refuse(Fault fault) {
        note(fault);
        injected++;
    }

    /** How often it happened up to now. */
    long count(Fault fault) {
        return counts.getOrDefault(fault, 0L);
    }

    /** How many calls failed up to now. */
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
