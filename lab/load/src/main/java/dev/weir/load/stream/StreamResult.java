package dev.weir.load.stream;

import java.util.List;
import java.util.stream.IntStream;

import dev.weir.load.query.QueryKind;
import org.HdrHistogram.Histogram;

/**
 * The result of a stream, for the queries that were due in the measured time.
 *
 * @param name the name of the stream
 * @param sent the number of queries
 * @param answered the number of queries with an answer, right or wrong
 * @param wrong the number of wrong answers
 * @param refused the number of answers with an error code
 * @param missing the number of queries without an answer
 * @param duplicates the number of further answers to answered queries, in the whole run
 * @param strays the number of packets that answer no recent query, in the whole run
 * @param rate answers per second within the measured time
 * @param latency nanoseconds from the time at which a query was sent or due to its answer; a missing one counts with
 *            the time waited
 * @param kinds the same by kind
 * @param examples some of the wrong answers, for users
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

    /** Returns the sum with the result of the same stream of another thread. */
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
