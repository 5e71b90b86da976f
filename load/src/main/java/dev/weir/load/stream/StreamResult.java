package dev.weir.load.stream;

import java.util.List;
import java.util.stream.IntStream;

import dev.weir.load.query.QueryKind;
import org.HdrHistogram.Histogram;

/**
 * What became of the queries of a stream that were due in the measured time.
 *
 * @param name of the stream
 * @param sent how many
 * @param answered how many had an answer, right or wrong
 * @param wrong answers that say something else than what is right
 * @param refused answers with an error code
 * @param missing queries without an answer
 * @param duplicates further answers to a query that had one, in the whole run
 * @param strays packets that are no answer to anything of late, in the whole run
 * @param rate answers a second within the measured time
 * @param latency from sent or due to answered in nanoseconds; what is missing counts with the time that was waited
 *        for it
 * @param kinds the same by kind
 * @param examples some of the wrong answers, for people
 */
public record StreamResult(String name, long sent, long answered, long wrong, long refused, long missing,
        long duplicates, long strays, double rate, Histogram latency, List<Kind> kinds, List<String> examples) {

    /** The counts of one kind of query. */
    public record Kind(QueryKind kind, long sent, long answered, long wrong, long refused) {
        Kind plus(Kind other) {
            return new Kind(kind, sent + other.sent, answered + other.answered, wrong + other.wrong,
                    refused + other.refused);
        }
    }

    /** Copies the lists. */
    public StreamResult {
        kinds = List.copyOf(kinds);
        examples = List.copyOf(examples);
    }

    /** This and the same stream of another thread at the same time. */
    public StreamResult plus(StreamResult other) {
        Histogram both = latency.copy();
        both.add(other.latency);
        List<Kind> sums = IntStream.range(0, kinds.size())
                .mapToObj(i -> kinds.get(i).plus(other.kinds.get(i))).toList();
        return new StreamResult(name, sent + other.sent, answered + other.answered, wrong + other.wrong,
                refused + other.refused, missing + other.missing, duplicates + other.duplicates, strays + other.strays,
                rate + other.rate, both, sums, examples.isEmpty() ? other.examples : examples);
    }
}
