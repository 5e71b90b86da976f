package dev.weir.storage.waves;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

import dev.weir.model.Digest;
import dev.weir.model.KeyedHash;
import dev.weir.storage.Samples;
import dev.weir.storage.access.Access;
import dev.weir.storage.access.gate.Gate;
import dev.weir.storage.access.gate.Source;
import dev.weir.storage.engine.LiveHashes;
import dev.weir.storage.index.FlagThresholds;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.queue.Role;
import dev.weir.storage.queue.StorageClock;
import dev.weir.storage.queue.Timing;
import dev.weir.storage.queue.UpdateQueue;
import dev.weir.storage.stats.Statistics;
import dev.weir.wire.Generation;
import dev.weir.wire.Protocol;
import dev.weir.wire.command.Command;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.CommandWriter;
import dev.weir.wire.command.Extension;
import dev.weir.wire.command.Parse;

import static org.assertj.core.api.Assertions.assertThat;

/** One of several nodes that count waves, without sockets. Nodes of a test share a clock. */
final class CountingNode {
    /** The updates that the storage wants. */
    final List<QueuedUpdate> sent = new ArrayList<>();
    final HashIndex index = new HashIndex(new KeyedHash(1, 2));
    final Waves waves;
    final Gate gate;

    private final LiveHashes hashes;
    private final MissRecorder recorder;
    private final SplittableRandom random;
    private final Lookup lookup = new Lookup();
    private final Command command = new Command();
    private long digests;

    CountingNode(WaveSettings settings, AtomicReference<Instant> now, int number) {
        InstantSource clock = now::get;
        Timing timing = new Timing(Duration.ZERO, Duration.ofSeconds(1));
        this.gate = new Gate(Access.DEFAULT, new Statistics(new KeyedHash(1, 1)), clock, new KeyedHash(1, 1));
        Role role = new Role(Role.Part.FOLLOWER);
        role.forwardTo(sent::add);
        this.hashes = new LiveHashes(index, new UpdateQueue(100), timing, clock,
                new StorageClock(clock, System::nanoTime, timing), role, null);
        this.waves = new Waves(settings, hashes, gate::rules, new SeededRandom(number));
        this.recorder = waves.newRecorder();
        this.random = new SplittableRandom(number);
        this.digests = 1_000_000L * (number + 1);
    }

    /** Checks a copy of a text with some other shingles. Returns the value of the answer; 0 for none. */
    long copy(long text, int changed, String client, Extension... extensions) {
        Digest digest = Samples.digest(digests++);
        long[] shingles = Samples.changed(Samples.shingles(text), changed, random);
        byte[] bytes = new byte[Protocol.MAX_DATAGRAM];
        CommandWriter writer = new CommandWriter().begin(bytes, 0, Generation.MULTI_FLAG, CommandCode.CHECK)
                .digest(digest.toBytes(), 0).shingles(shingles);
        for (Extension extension : extensions) {
            writer.extension(extension);
        }
        assertThat(command.wrap(bytes, 0, writer.end())).isEqualTo(Parse.OK);
        digest.copyTo(lookup.digest(), 0);
        System.arraycopy(shingles, 0, lookup.shingles(), 0, shingles.length);
        lookup.hasShingles(true);
        lookup.thresholds(FlagThresholds.NONE, command.askedThreshold());
        if (hashes.find(lookup, hashes.now())) {
            return -lookup.match().value(0);
        }
        Source source = new Source();
        source.set(InetAddress.ofLiteral(client), false);
        recorder.missed(lookup, command, source, null);
        return recorder.find(lookup) ? lookup.match().value(0) : 0;
    }

    /** Counts what was checked, and decides. */
    void think() {
        waves.collect(hashes.now());
    }

    /** Lets another node hear of this one, which that node knows by a name and this one knows by another. */
    void tell(CountingNode other, String name, Predicate<String> known, boolean first) {
        other.waves.read(name, first, waves.write(known));
        other.think();
    }

    /** Applies the wanted updates, and returns them. */
    List<QueuedUpdate> learned() {
        List<QueuedUpdate> updates = List.copyOf(sent);
        sent.clear();
        updates.forEach(update -> {
            index.apply(update.update());
            update.outcome().stored();
        });
        return updates;
    }

    /** Returns the only group. */
    WaveReport only() {
        List<WaveReport> top = waves.top(Waves.Order.DAY, 10);
        assertThat(top).hasSize(1);
        return top.getFirst();
    }
}
