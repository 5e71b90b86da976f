package dev.weir.bench.speed;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

import dev.weir.load.Load;
import dev.weir.load.population.Population;
import dev.weir.load.query.Rule;
import dev.weir.load.socket.QuerySocket;
import dev.weir.load.socket.Target;
import dev.weir.load.stream.LoadTiming;
import dev.weir.load.stream.Pace;
import dev.weir.load.stream.StreamResult;
import dev.weir.wire.key.PublicKey;
import org.jspecify.annotations.Nullable;

/**
 * A server under measurement.
 *
 * @param name for tables
 * @param address its address
 * @param rule its rule for counting equal shingles
 * @param key its key for encrypted requests, if any
 * @param sockets number of client sockets
 * @param atOnce number of queries that each socket sends at once
 */
public record Contender(String name, InetSocketAddress address, Rule rule, @Nullable PublicKey key, int sockets,
        int atOnce) {
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /** Creates a server that receives all due queries at once from one socket. */
    public Contender(String name, InetSocketAddress address, Rule rule, @Nullable PublicKey key, int sockets) {
        this(name, address, rule, key, sockets, QuerySocket.BATCH);
    }

    /** Returns a copy with this many sockets and queries at once. */
    public Contender askedFrom(int number, int queries) {
        return new Contender(name, address, rule, key, number, queries);
    }

    /**
     * The result of a load.
     *
     * @param streams the results of its parts
     * @param idle the idle share of the generator, 0..1
     */
    public record Shown(List<StreamResult> streams, double idle) {
        /** Returns the result of the first part. */
        public StreamResult first() {
            return streams.getFirst();
        }
    }

    /** Measures the highest rate with this many outstanding queries. */
    public Shown saturate(Case load, Population population, int outstanding, Duration warmUp, Duration measured)
            throws IOException {
        return run(List.of(new Load.Part.Asking(load.name(), load.mix(), new Pace.Closed(outstanding))),
                load.encrypted(),
                population, warmUp, measured);
    }

    /** Runs several parts concurrently. */
    public Shown run(List<Load.Part> parts, boolean encrypted, Population population, Duration warmUp,
            Duration measured)
            throws IOException {
        if (encrypted && key == null) {
            throw new IllegalArgumentException(name + " has no key");
        }
        Target target = (encrypted && key != null
                ? Target.encrypted(address, key, 1)
                : Target.plain(address)).withSockets(sockets, atOnce);
        Load.Knowledge knowledge = new Load.Knowledge(population, rule, true, System.nanoTime());
        try (Load load = Load.open(target, knowledge, parts, new LoadTiming(warmUp, measured, PATIENCE), 1)) {
            List<StreamResult> results = load.run();
            return new Shown(results, load.idle());
        }
    }
}
