package dev.weir.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;

import dev.weir.load.population.Population;
import dev.weir.load.query.Mix;
import dev.weir.load.query.Queries;
import dev.weir.load.query.QuerySource;
import dev.weir.load.query.Rule;
import dev.weir.load.socket.QuerySocket;
import dev.weir.load.socket.Target;
import dev.weir.load.stream.Generator;
import dev.weir.load.stream.LoadTiming;
import dev.weir.load.stream.Pace;
import dev.weir.load.stream.QueryStream;
import dev.weir.load.stream.StreamResult;
import dev.weir.model.failure.Reason;
import dev.weir.wire.box.ClientSession;
import dev.weir.wire.key.KeyPair;

/**
 * A load on a storage: parts that run side by side in one or several threads. Opening it prepares everything slow
 * (sockets, keys, sealed queries). Run it once, then close it.
 */
public final class Load implements AutoCloseable {
    private static final int SUPPLY = 1 << 17;

    private final List<Generator> generators = new ArrayList<>();
    private final List<QuerySocket> sockets = new ArrayList<>();

    /** A part of a load. */
    public sealed interface Part {
        /** Returns the name of the part in the report. */
        String name();

        /** Queries whose answers are judged. */
        record Asking(String name, Mix mix, Pace pace) implements Part {}

        /** Encrypted requests, each from a new client, at a rate per second. None gets an answer. */
        record NewKeys(String name, double perSecond) implements Part {}
    }

    /**
     * The basis of queries.
     *
     * @param population the hashes in the storage
     * @param rule the matching rule of the storage
     * @param shingles whether queries have shingles
     * @param seed the seed of the queries
     */
    public record Knowledge(Population population, Rule rule, boolean shingles, long seed) {}

    private Load() {}

    /**
     * Opens a load.
     *
     * @param threads number of busy threads that share rates and numbers, at least one; each uses a processor
     * @throws IOException if a socket cannot be opened
     * @throws IllegalArgumentException with a message for users if the load is impossible
     */
    public static Load open(Target target, Knowledge knowledge, List<Part> parts, LoadTiming timing, int threads)
            throws IOException {
        Load load = new Load();
        try {
            SecureRandom random = new SecureRandom();
            List<ClientSession> sessions = target.encryption().map(encryption -> sessions(encryption, random))
                    .orElse(List.of());
            for (int thread = 0; thread < threads; thread++) {
                List<QueryStream> streams = new ArrayList<>();
                for (int i = 0; i < parts.size(); i++) {
                    // Queries of different threads and parts are unrelated.
                    long seed = knowledge.seed() + 1_000L * thread + i;
                    QuerySource source = source(target, knowledge, parts.get(i), seed, sessions, random);
                    List<QuerySocket> opened = target.open(source.maxBytes());
                    load.sockets.addAll(opened);
                    streams.add(new QueryStream(parts.get(i).name(), source, opened, target.atOnce(),
                            share(parts.get(i), threads)));
                }
                load.generators.add(new Generator(streams, timing));
            }
            return load;
        } catch (Throwable e) {
            load.close();
            throw e;
        }
    }

    private static List<ClientSession> sessions(Target.Encryption encryption, SecureRandom random) {
        return IntStream.range(0, encryption.clients())
                .mapToObj(_ -> ClientSession.of(KeyPair.generate(random), encryption.server())
                        .orElseThrow(() -> new IllegalArgumentException("the key of the storage is a weak one")))
                .toList();
    }

    private static QuerySource source(Target target, Knowledge knowledge, Part part, long seed,
            List<ClientSession> sessions,
            SecureRandom random) {
        return switch (part) {
            case Part.NewKeys _ -> QuerySource.newKeys(target.encryption()
                    .orElseThrow(() -> new IllegalArgumentException("new keys need the key of the storage")).server(),
                    random.nextLong());
            case Part.Asking asking -> {
                Queries queries = new Queries(knowledge.population(), asking.mix(), knowledge.rule(),
                        knowledge.shingles(), seed);
                yield sessions.isEmpty()
                        ? QuerySource.plain(queries)
                        : QuerySource.sealed(queries, sessions, SUPPLY, random);
            }
        };
    }

    private static Pace share(Part part, int threads) {
        return switch (part) {
            case Part.NewKeys keys -> new Pace.Open(keys.perSecond() / threads);
            case Part.Asking asking -> switch (asking.pace()) {
                case Pace.Open open -> new Pace.Open(open.perSecond() / threads);
                case Pace.Closed closed -> new Pace.Closed(Math.max(1, closed.outstanding() / threads));
            };
        };
    }

    /** Returns the number of answers so far within the measured time. Any thread may call this. */
    public long answers() {
        return generators.stream().mapToLong(Generator::answers).sum();
    }

    /** Returns the share of the time in which the busiest thread was idle, from 0 to 1. Meaningful after the run. */
    public double idle() {
        return generators.stream().mapToDouble(Generator::idle).min().orElse(1);
    }

    /** Makes {@link #run} end soon. Any thread may call this. */
    public void stop() {
        generators.forEach(Generator::stop);
    }

    /**
     * Runs the load. The calling thread is the first of its threads.
     *
     * @return the results of the parts, in their order
     * @throws IOException if a socket fails
     */
    public List<StreamResult> run() throws IOException {
        List<CompletableFuture<List<StreamResult>>> others = new ArrayList<>();
        for (Generator generator : generators.subList(1, generators.size())) {
            CompletableFuture<List<StreamResult>> results = new CompletableFuture<>();
            others.add(results);
            Thread.ofPlatform().name("load").daemon().start(() -> {
                try {
                    results.complete(generator.run());
                } catch (IOException e) {
                    results.completeExceptionally(new UncheckedIOException(e));
                } catch (RuntimeException | Error e) {
                    results.completeExceptionally(e);
                }
            });
        }
        List<StreamResult> all;
        try {
            all = generators.getFirst().run();
        } catch (IOException | RuntimeException e) {
            stop();
            throw e;
        }
        for (CompletableFuture<List<StreamResult>> other : others) {
            List<StreamResult> some;
            try {
                some = other.join();
            } catch (CompletionException e) {
                stop();
                throw new IOException("a thread of the generator failed: " + Reason.of(e), e);
            }
            List<StreamResult> one = all;
            all = IntStream.range(0, one.size()).mapToObj(i -> one.get(i).plus(some.get(i))).toList();
        }
        return all;
    }

    @Override
    public void close() {
        sockets.forEach(QuerySocket::close);
    }
}
