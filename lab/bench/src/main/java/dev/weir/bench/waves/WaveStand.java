package dev.weir.bench.waves;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;

import dev.weir.model.Digest;
import dev.weir.model.KeyedHash;
import dev.weir.model.Signature;
import dev.weir.storage.access.Access;
import dev.weir.storage.access.gate.Gate;
import dev.weir.storage.access.gate.Source;
import dev.weir.storage.engine.LiveHashes;
import dev.weir.storage.index.FlagThresholds;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.queue.Role;
import dev.weir.storage.queue.StorageClock;
import dev.weir.storage.queue.Timing;
import dev.weir.storage.queue.UpdateQueue;
import dev.weir.storage.stats.Statistics;
import dev.weir.storage.waves.MissRecorder;
import dev.weir.storage.waves.WaveSettings;
import dev.weir.storage.waves.Waves;
import dev.weir.wire.Generation;
import dev.weir.wire.Protocol;
import dev.weir.wire.command.AskedThreshold;
import dev.weir.wire.command.Command;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.CommandWriter;

/** Waves of a storage that knows no hash, with a time of its own. For one thread. */
final class WaveStand {
    private final UpdateQueue queue = new UpdateQueue(1);
    private final Timing timing = new Timing(Duration.ZERO, Duration.ofSeconds(1));
    private final Lookup lookup = new Lookup();
    private final Command command = new Command();
    private final byte[] bytes = new byte[Protocol.MAX_DATAGRAM];
    private final Source source = new Source();
    private final Waves waves;
    private final MissRecorder recorder;
    private long millis;

    WaveStand(WaveSettings settings, long startMillis) {
        this.millis = startMillis;
        LiveHashes hashes = new LiveHashes(new HashIndex(new KeyedHash(1, 2)), queue, timing, this::now,
                new StorageClock(this::now, System::nanoTime, timing), new Role(Role.Part.LEADER), null);
        Gate gate = new Gate(Access.DEFAULT, new Statistics(new KeyedHash(1, 1)), this::now, new KeyedHash(1, 1));
        this.waves = new Waves(settings, hashes, gate::rules, new SecureRandom());
        this.recorder = waves.newRecorder();
    }

    private Instant now() {
        return Instant.ofEpochMilli(millis);
    }

    Waves waves() {
        return waves;
    }

    /** Sets the time. */
    void at(long now) {
        millis = now;
    }

    /** Empties the rings and decides about the groups. */
    void collect() {
        waves.collect(millis);
    }

    /**
     * Checks a mail that is not known.
     *
     * @param shingles 32 values, or none
     * @param threshold how many shingles its kind asks for
     * @param client an address, as a number
     * @return the value of the answer of a wave, or 0
     */
    long check(long[] digest, long[] shingles, int threshold, int client) {
        CommandWriter writer = new CommandWriter().begin(bytes, 0, Generation.MULTI_FLAG, CommandCode.CHECK)
                .value(AskedThreshold.value(threshold)).digest(Digest.ofWords(digest, 0).toBytes(), 0);
        if (shingles.length > 0) {
            writer.shingles(shingles);
        }
        command.wrap(bytes, 0, writer.end());
        System.arraycopy(digest, 0, lookup.digest(), 0, Digest.WORDS);
        lookup.hasShingles(shingles.length > 0);
        if (shingles.length > 0) {
            System.arraycopy(shingles, 0, lookup.shingles(), 0, Signature.SLOTS);
        }
        lookup.thresholds(FlagThresholds.NONE, threshold);
        source.set(0, 0xffffL << 32 | (client & 0xffffffffL), false);
        recorder.missed(lookup, command, source, null);
        return recorder.find(lookup) ? lookup.match().value(0) : 0;
    }

    /** Returns a number of an IPv4 address. */
    static int address(int a, int b, int c, int d) {
        return a << 24 | b << 16 | c << 8 | d;
    }
}
