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
 * A server that is measured.
 *
 * @param name for tables
 * @param address where it answers
 * @param rule how it counts equal shingles
 * @param key for encrypted requests, if it has one
 * @param sockets from which it is asked
 * @param atOnce queries that each of them sends at once
 */
public record Contender(String name, InetSocketAddress address, Rule rule, @Nullable PublicKey key, int sockets,
        int atOnce) {
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /** A server that is asked for as much at once as is due. */
    public Contender(String name, InetSocketAddress address, Rule rule, @Nullable PublicKey key, int sockets) {
        this(name, address, rule, key, sockets, QuerySocket.BATCH);
    }

    /** Returns the same, asked from so many sockets, so much at once. */
    public Contender askedFrom(int number, int queries) {
        return new Contender(name, address, rule, key, number, queries);
    }

    /**
     * What a load showed.
     *
     * @param streams its parts
     * @param idle the share of the time in which the generator had nothing to do
     */
    public record Shown(List<StreamResult> streams, double idle) {
        /** Returns the part that came first. */
        public StreamResult first() {
            return streams.getFirst();
        }
    }

    /** Returns the highest rate, with so many queries outstanding. */
    public Shown saturate(Case load, Population population, int outstanding, Duration warmUp, Duration measured)
            throws IOException {
        return run(List.of(new Load.Part.Asking(load.name(), load.mix(), new Pace.Closed(outstanding))),
                load.encrypted(),
                population, warmUp, measured);
    }

    /** Several parts beside each other. */
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
