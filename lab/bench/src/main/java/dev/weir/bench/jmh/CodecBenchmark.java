package dev.weir.bench.jmh;

import java.util.concurrent.TimeUnit;

import dev.weir.load.population.Population;
import dev.weir.load.query.Mix;
import dev.weir.load.query.Queries;
import dev.weir.load.query.QueryKind;
import dev.weir.load.query.Rule;
import dev.weir.wire.Protocol;
import dev.weir.wire.command.Command;
import dev.weir.wire.reply.ReplyWriter;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The cost of parsing a command, writing a reply and generating a query. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CodecBenchmark {
    private final Population population = new Population(1, 1_000_000);
    private final Queries misses = new Queries(population, Mix.of(QueryKind.MISS), Rule.COUNT, true, 1);
    private final Queries nearHits = new Queries(population, Mix.of(QueryKind.fuzzy(20)), Rule.COUNT, true, 1);
    private final Command command = new Command();
    private final ReplyWriter writer = new ReplyWriter();
    private final byte[] request = new byte[Queries.MAX_BYTES];
    private final byte[] query = new byte[Queries.MAX_BYTES];
    private final byte[] reply = new byte[Protocol.MAX_REPLY];
    private final byte[] digest = new byte[Protocol.DIGEST];
    private final int length = misses.write(0, 7, request, 0);
    private long number;

    /** Parses a check and reads its 32 shingles. */
    @Benchmark
    public long readCommand() {
        command.wrap(request, 0, length);
        long sum = command.digestWord(0);
        for (int i = 0; i < Protocol.SHINGLES; i++) {
            sum += command.shingle(i);
        }
        return sum;
    }

    /** Writes the reply. */
    @Benchmark
    public int writeReply() {
        command.wrap(request, 0, length);
        return writer.begin(command, reply, 0).result(5, 1, 1).digest(digest, 0).time(7).matched().end();
    }

    /** Writes a query that misses. */
    @Benchmark
    public int makeMiss() {
        return misses.write(number++, 7, query, 0);
    }

    /** Writes a query with 20 known shingles. */
    @Benchmark
    public int makeNearHit() {
        return nearHits.write(number++, 7, query, 0);
    }
}
