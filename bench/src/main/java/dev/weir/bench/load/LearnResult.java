package dev.weir.bench.load;

import java.util.BitSet;

import org.HdrHistogram.Histogram;

/**
 * What became of a load of learns; the sets hold numbers of the {@link Learns}.
 *
 * @param sent learns that were begun
 * @param acknowledged learns that were answered with success
 * @param refused learns that were answered with an error
 * @param unanswered learns without an answer after the last repetition
 * @param repeated learns that were sent more than once
 * @param retransmits datagrams that were sent again
 * @param measured acknowledgements within the measured time
 * @param seconds the measured time: the whole time of a load of a given number
 * @param elapsed the whole time in seconds, from the first learn to the last answer that was waited for
 * @param latency from the first sending to the acknowledgement in nanoseconds, within the measured time
 * @param silence the longest time in nanoseconds without any answer while some were awaited
 */
public record LearnResult(int sent, BitSet acknowledged, BitSet refused, BitSet unanswered, BitSet repeated,
        long retransmits, long measured, double seconds, double elapsed, Histogram latency, long silence) {

    /** Acknowledgements a second within the measured time. */
    public double perSecond() {
        return measured / seconds;
    }

    /**
     * The learns that may be stored or not: without an answer, or refused when an earlier datagram of the same learn
     * may have been accepted and its answer lost.
     */
    public int unsure() {
        BitSet unsure = (BitSet) refused.clone();
        unsure.and(repeated);
        unsure.or(unanswered);
        return unsure.cardinality();
    }

    /** This and another load of the same clients together. */
    public LearnResult plus(LearnResult other) {
        Histogram both = latency.copy();
        both.add(other.latency);
        return new LearnResult(sent + other.sent, union(acknowledged, other.acknowledged),
                union(refused, other.refused), union(unanswered, other.unanswered), union(repeated, other.repeated),
                retransmits + other.retransmits,
                measured + other.measured, seconds + other.seconds, elapsed + other.elapsed, both,
                Math.max(silence, other.silence));
    }

    private static BitSet union(BitSet some, BitSet others) {
        BitSet union = (BitSet) some.clone();
        union.or(others);
        return union;
    }
}
