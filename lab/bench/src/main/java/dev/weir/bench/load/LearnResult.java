package dev.weir.bench.load;

import java.util.BitSet;

import org.HdrHistogram.Histogram;

/**
 * The outcome of a load of learn requests. The sets hold numbers of hashes of the population.
 *
 * @param sent number of hashes sent
 * @param acknowledged hashes whose request succeeded
 * @param refused hashes whose request was answered with an error
 * @param unanswered hashes without a reply after the last repetition
 * @param repeated hashes whose request was sent more than once
 * @param retransmits number of repeated datagrams
 * @param measured number of acknowledgments within the measured time
 * @param seconds the measured time, which is the whole time of a load of a fixed number
 * @param elapsed the whole time in seconds, from the first request to the last reply
 * @param early from the first datagram, or with a rate from when it was due, to the acknowledgment in nanoseconds, of
 *         the hashes in the warm-up of {@link LearnLoad.Extent.Within}
 * @param latency the same of all other hashes, within the measured time
 * @param silence longest time in nanoseconds without any reply while at least one was outstanding
 */
public record LearnResult(int sent, BitSet acknowledged, BitSet refused, BitSet unanswered, BitSet repeated,
        long retransmits, long measured, double seconds, double elapsed, Histogram early, Histogram latency,
        long silence) {

    /** Returns the acknowledgments per second within the measured time. */
    public double perSecond() {
        return measured / seconds;
    }

    /**
     * Returns the number of hashes that may or may not be stored: those without a reply, and those refused although an
     * earlier datagram of the same request may have been accepted and its reply lost.
     */
    public int unsure() {
        BitSet unsure = (BitSet) refused.clone();
        unsure.and(repeated);
        unsure.or(unanswered);
        return unsure.cardinality();
    }

    /** Returns the sum of this and another load of the same clients. */
    public LearnResult plus(LearnResult other) {
        return new LearnResult(sent + other.sent, union(acknowledged, other.acknowledged),
                union(refused, other.refused), union(unanswered, other.unanswered), union(repeated, other.repeated),
                retransmits + other.retransmits,
                measured + other.measured, seconds + other.seconds, elapsed + other.elapsed,
                Histograms.sum(early, other.early), Histograms.sum(latency, other.latency),
                Math.max(silence, other.silence));
    }

    private static BitSet union(BitSet some, BitSet others) {
        BitSet union = (BitSet) some.clone();
        union.or(others);
        return union;
    }
}
