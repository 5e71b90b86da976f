package dev.weir.storage.waves;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;

import dev.weir.model.Digest;
import dev.weir.model.KeyedHash;
import dev.weir.model.Networks;
import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.access.Access;
import dev.weir.storage.access.FlagSet;
import dev.weir.storage.access.gate.Gate;
import dev.weir.storage.access.gate.SkipList;
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
import dev.weir.storage.state.StateFile;
import dev.weir.storage.state.StateFiles;
import dev.weir.storage.stats.Statistics;
import dev.weir.wire.Generation;
import dev.weir.wire.Protocol;
import dev.weir.wire.command.Command;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.CommandWriter;
import dev.weir.wire.command.Extension;
import dev.weir.wire.command.Parse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class WavesTest {
    private static final int FLAG = 60;
    private static final int WANTED = 3;
    private static final int SPAM = 11;
    private static final long STORAGE = 42;
    private static final WaveSettings.Size FIVE = new WaveSettings.Size(5, 3, Duration.ofHours(1));
    private static final WaveSettings ANSWERING = WaveSettings.counting().withTable(1_000, Duration.ofDays(1))
            .answering(FLAG, FIVE)
            .excluding(new WaveSettings.Exclusions(FlagSet.of(WANTED), Networks.perFamily("198.51.100.0/24"),
                    Set.of("bank.example")));
    private static final int DMARC_PASS = 2 << 6;

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-29T10:00:30Z"));
    private final InstantSource clock = now::get;
    private final List<QueuedUpdate> sent = new ArrayList<>();
    private final HashIndex index = new HashIndex(new KeyedHash(1, 2));
    private final UpdateQueue queue = new UpdateQueue(100);
    private final Timing timing = new Timing(Duration.ZERO, Duration.ofSeconds(1));
    private final Gate gate = new Gate(Access.DEFAULT, new Statistics(new KeyedHash(1, 1)), clock, new KeyedHash(1, 1));
    private final LiveHashes hashes = new LiveHashes(index, queue, timing, clock,
            new StorageClock(clock, System::nanoTime, timing), role(), null);
    private final SplittableRandom random = new SplittableRandom(5);
    private final Lookup lookup = new Lookup();
    private final Command command = new Command();
    private long digests = 1_000_000;

    private Waves waves = waves(ANSWERING);
    private MissRecorder recorder = waves.newRecorder();

    /** A role that passes updates to this test. */
    private Role role() {
        Role role = new Role(Role.Part.FOLLOWER);
        role.forwardTo(sent::add);
        return role;
    }

    private Waves waves(WaveSettings settings) {
        return new Waves(settings, hashes, gate::rules, new SeededRandom(42));
    }

    private void use(WaveSettings settings) {
        waves = waves(settings);
        recorder = waves.newRecorder();
    }

    /** Checks a mail: known hashes first, then the waves. Returns the value of the answer; 0 for none. */
    private long check(Digest digest, long[] shingles, String client, List<Extension> extensions) {
        byte[] bytes = new byte[Protocol.MAX_DATAGRAM];
        CommandWriter writer = new CommandWriter().begin(bytes, 0, Generation.MULTI_FLAG, CommandCode.CHECK)
                .digest(digest.toBytes(), 0).shingles(shingles);
        extensions.forEach(writer::extension);
        assertThat(command.wrap(bytes, 0, writer.end())).isEqualTo(Parse.OK);
        digest.copyTo(lookup.digest(), 0);
        System.arraycopy(shingles, 0, lookup.shingles(), 0, shingles.length);
        lookup.hasShingles(true);
        lookup.thresholds(gate.rules().thresholds(), command.askedThreshold());
        if (hashes.find(lookup, hashes.now())) {
            return -lookup.match().value(0);
        }
        Source source = new Source();
        source.set(InetAddress.ofLiteral(client), false);
        recorder.missed(lookup, command, source, null);
        return recorder.find(lookup) && lookup.match().flag(0) == FLAG ? lookup.match().value(0) : 0;
    }

    private long copy(long text, int changed, String client, Extension... extensions) {
        return check(Samples.digest(digests++), Samples.changed(Samples.shingles(text), changed, random), client,
                Arrays.asList(extensions));
    }

    private void wave(long text, int copies) {
        for (int i = 0; i < copies; i++) {
            copy(text, 5, "192.0.2." + (1 + i % 5));
        }
        think();
    }

    private void think() {
        waves.drain(hashes.now());
        waves.judge(hashes.now());
    }

    private void pass(Duration time) {
        now.updateAndGet(moment -> moment.plus(time));
    }

    private WaveReport only() {
        List<WaveReport> top = waves.top(Waves.Order.DAY, 10);
        assertThat(top).hasSize(1);
        return top.getFirst();
    }

    @Test
    void aMailThatManyAskForIsAnswered() {
        for (int i = 0; i < 4; i++) {
            assertThat(copy(1, 5, "192.0.2." + (1 + i))).isZero();
        }
        think();
        assertThat(copy(1, 5, "192.0.2.9")).as("four checks are too few").isZero();
        think();
        assertThat(copy(1, 5, "192.0.2.9")).as("checks in the window").isEqualTo(5);
        assertThat(copy(2, 0, "192.0.2.9")).as("another text").isZero();
        think();
        assertThat(copy(1, 5, "192.0.2.9")).isEqualTo(6);
        assertThat(only().state()).isEqualTo(WaveState.ANSWERS);
        assertThat(only().answers()).isTrue();
        assertThat(waves.figures().answering()).isEqualTo(1);
    }

    @Test
    void oneClientIsNoWave() {
        for (int i = 0; i < 50; i++) {
            copy(1, 5, "192.0.2." + (1 + i % 2));
        }
        think();
        assertThat(copy(1, 5, "192.0.2.1")).isZero();
        assertThat(only().clients()).isEqualTo(2);
        assertThat(only().networks()).isEqualTo(1);
    }

    @Test
    void anAnswerEndsWithItsWindow() {
        wave(1, 6);
        assertThat(copy(1, 5, "192.0.2.1")).isEqualTo(6);
        pass(Duration.ofMinutes(61));
        think();
        assertThat(copy(1, 5, "192.0.2.1")).isZero();
        think();
        assertThat(only().day()).isEqualTo(8);
        pass(Duration.ofHours(26));
        think();
        pass(Duration.ofMinutes(2));
        think();
        assertThat(waves.figures().groups()).isZero();
    }

    @Test
    void aKnownHashAlwaysWins() {
        wave(1, 6);
        index.apply(new Update.Write(Samples.digest(7), SPAM, 9, 0, Samples.signature(1)));
        assertThat(copy(1, 5, "192.0.2.1")).isEqualTo(-9);
        assertThat(only().state()).isEqualTo(WaveState.KNOWN);
    }

    @Test
    void aWaveNearWantedMailNeverAnswers() {
        // Fifteen equal shingles: no near duplicate, so checks miss it.
        index.apply(new Update.Write(Samples.digest(7), WANTED, 9, 0,
                dev.weir.model.Signature.of(Samples.changed(Samples.shingles(1), 15, random), 0)));
        wave(2, 6);
        for (int i = 0; i < 9; i++) {
            check(Samples.digest(digests++), near(Samples.shingles(1), i), "192.0.2." + (1 + i), List.of());
        }
        think();
        assertThat(waves.top(Waves.Order.DAY, 10)).extracting(WaveReport::state)
                .containsExactlyInAnyOrder(WaveState.WANTED, WaveState.ANSWERS);
        assertThat(waves.figures().answering()).isEqualTo(1);
        assertThat(waves.figures().excluded()).isEqualTo(1);
    }

    /** Returns shingles that differ from others in the slots from 20 on. */
    private static long[] near(long[] shingles, int copy) {
        long[] changed = shingles.clone();
        for (int i = 28; i < changed.length; i++) {
            changed[i] = copy * 100L + i;
        }
        return changed;
    }

    @Test
    void theSkipListEndsAnAnswer() throws Exception {
        wave(1, 6);
        Digest leader = only().leader();
        gate.skips().load(file(SkipList.FORMAT, Files.createTempDirectory("weir-waves")));
        gate.skips().add(new SkipList.Entry(leader, "a newsletter", Long.MAX_VALUE));
        waves.examineAgain(leader);
        assertThat(copy(1, 5, "192.0.2.1")).isZero();
        assertThat(only().state()).isEqualTo(WaveState.SKIPPED);
        pass(Duration.ofDays(3));
        think();
        wave(1, 6);
        assertThat(waves.top(Waves.Order.DAY, 10)).as("it is recognized later, too").singleElement()
                .satisfies(wave -> assertThat(wave.state()).isEqualTo(WaveState.SKIPPED));
        gate.skips().remove(leader);
        pass(Duration.ofSeconds(11));
        think();
        assertThat(copy(1, 5, "192.0.2.1")).isPositive();
    }

    @Test
    void anExemptSenderExcludesItsWave() {
        wave(1, 6);
        copy(1, 5, "192.0.2.1", new Extension.Domain("News.Bank.Example"), new Extension.SenderFacts(DMARC_PASS));
        pass(Duration.ofSeconds(11));
        think();
        assertThat(only().state()).isEqualTo(WaveState.EXEMPT);
        assertThat(copy(1, 5, "192.0.2.1")).isZero();
        wave(2, 6);
        copy(2, 5, "192.0.2.1", new Extension.SenderIp(InetAddress.ofLiteral("198.51.100.7")));
        pass(Duration.ofSeconds(11));
        think();
        assertThat(copy(2, 5, "192.0.2.1")).isZero();
    }

    @Test
    void aDomainWithoutDmarcExemptsNothing() {
        wave(1, 6);
        copy(1, 5, "192.0.2.1", new Extension.Domain("bank.example"));
        copy(1, 5, "192.0.2.1", new Extension.Domain("bank.example"), new Extension.SenderFacts(3 << 6));
        copy(1, 5, "192.0.2.1", new Extension.Domain("notbank.example"), new Extension.SenderFacts(DMARC_PASS));
        pass(Duration.ofSeconds(11));
        think();
        assertThat(copy(1, 5, "192.0.2.1")).isEqualTo(9);
        assertThat(only().domains()).isEqualTo(2);
    }

    @Test
    void sendersAreCounted() {
        for (int i = 0; i < 6; i++) {
            copy(1, 5, "192.0.2.1", new Extension.SenderIp(InetAddress.ofLiteral("203.0.113." + i / 2)),
                    new Extension.Domain("A.example"));
        }
        think();
        assertThat(only().senders()).isEqualTo(3);
        assertThat(only().domains()).isEqualTo(1);
    }

    @Test
    void aThresholdOfTheFlagHoldsForWaves() throws Exception {
        gate.reconfigure(Access.DEFAULT.withAnswers(new dev.weir.storage.access.ReplyRules(FlagSet.none(),
                FlagSet.none(), dev.weir.storage.access.DigestSet.none(), dev.weir.storage.access.Delay.NONE,
                FlagThresholds.of(Map.of(FLAG, 12)))));
        use(ANSWERING);
        long[] text = Samples.shingles(1);
        for (int i = 0; i < 6; i++) {
            long[] changed = text.clone();
            for (int slot = 14; slot < changed.length; slot++) {
                changed[slot] = i * 1_000L + slot;
            }
            check(Samples.digest(digests++), changed, "192.0.2." + (1 + i), List.of());
        }
        think();
        assertThat(only().checks()).isEqualTo(6);
    }

    @Test
    void learnsWithItsReasonAndOnlySoMuchInAnHour() {
        use(ANSWERING.learning(new WaveSettings.Learn(SPAM, 4, new WaveSettings.Size(10, 4, Duration.ofHours(1)), 2)));
        wave(1, 9);
        assertThat(learned()).as("too few").isEmpty();
        wave(1, 3);
        List<QueuedUpdate> updates = learned();
        assertThat(updates).isNotEmpty().allSatisfy(update -> {
            Update.Write write = (Update.Write) update.update();
            assertThat(write.flag()).isEqualTo(SPAM);
            assertThat(write.weight()).isEqualTo(4);
            assertThat(write.signature()).isNotNull();
            assertThat(update.origin().submission()).isNotNull().satisfies(by -> {
                assertThat(by.credential()).isEqualTo("wave");
                assertThat(by.user()).isEqualTo("12 checks of 5 clients in 1 networks within PT1H");
                assertThat(by.messageId()).matches("wave-[0-9a-f]{16}-20261129T100030Z");
            });
        });
        assertThat(updates.stream().map(update -> update.origin().submission()).distinct()).as("one undo").hasSize(1);
        assertThat(only().state()).isEqualTo(WaveState.LEARNED);
        wave(1, 30);
        assertThat(learned()).as("learned once").isEmpty();
        wave(2, 12);
        wave(3, 12);
        assertThat(learned()).extracting(update -> update.origin().submission()).as("two in an hour")
                .containsOnly(learnedOnce.get(learnedOnce.size() - 1).origin().submission());
        assertThat(waves.figures().learnsHeld()).isPositive();
        pass(Duration.ofMinutes(61));
        wave(3, 12);
        assertThat(learned()).isNotEmpty();
        assertThat(waves.figures().learned()).isEqualTo(3);
    }

    private final List<QueuedUpdate> learnedOnce = new ArrayList<>();

    private List<QueuedUpdate> learned() {
        List<QueuedUpdate> updates = List.copyOf(sent);
        sent.clear();
        updates.forEach(update -> {
            index.apply(update.update());
            update.outcome().stored();
        });
        learnedOnce.addAll(updates);
        return updates;
    }

    @Test
    void aFailedLearnIsTriedAgain() {
        use(ANSWERING.learning(new WaveSettings.Learn(SPAM, 4, FIVE, 20)));
        wave(1, 6);
        List<QueuedUpdate> refused = List.copyOf(sent);
        assertThat(refused).isNotEmpty();
        sent.clear();
        refused.forEach(update -> update.outcome().failed());
        think();
        assertThat(learned()).isNotEmpty();
    }

    @Test
    void excludedWavesAreNotLearned() {
        use(ANSWERING.learning(new WaveSettings.Learn(SPAM, 4, FIVE, 20)));
        copy(1, 5, "192.0.2.1", new Extension.Domain("bank.example"), new Extension.SenderFacts(DMARC_PASS));
        wave(1, 20);
        assertThat(learned()).isEmpty();
        assertThat(only().state()).isEqualTo(WaveState.EXEMPT);
    }

    private static StateFile file(dev.weir.storage.state.StateFormat format, Path folder) {
        return new StateFiles(folder, InstantSource.system()).file(format, STORAGE);
    }

    @Test
    void wavesOutliveTheProcess(@TempDir Path folder) throws Exception {
        wave(1, 6);
        waves.save(file(Waves.FORMAT, folder));
        Waves next = waves(ANSWERING);
        next.load(file(Waves.FORMAT, folder));
        waves = next;
        recorder = next.newRecorder();
        think();
        assertThat(copy(1, 5, "192.0.2.1")).as("the same client").isEqualTo(6);
        think();
        assertThat(only().clients()).isEqualTo(5);
        assertThat(only().checks()).isEqualTo(7);
    }

    @Test
    void aDamagedFileIsKeptAside(@TempDir Path folder) throws Exception {
        wave(1, 6);
        StateFile file = file(Waves.FORMAT, folder);
        waves.save(file);
        byte[] bytes = Files.readAllBytes(file.place());
        bytes[bytes.length / 2] ^= 1;
        Files.write(file.place(), bytes);
        StateFile damaged = file(Waves.FORMAT, folder);
        Waves next = waves(ANSWERING);
        next.load(damaged);
        assertThat(next.figures().groups()).isZero();
        assertThat(damaged.files().troubles()).singleElement()
                .satisfies(trouble -> assertThat(trouble.toString()).contains("waves"));
        assertThat(damaged.place()).doesNotExist();
        // A sound frame around something else is not believed either.
        damaged.write("nothing of the kind".getBytes(StandardCharsets.US_ASCII));
        next.load(damaged);
        assertThat(damaged.place()).doesNotExist();
    }

    @Test
    void theFileHoldsTheStrongestGroupsOnly(@TempDir Path folder) throws IOException {
        waves.save(file(Waves.FORMAT, folder));
        assertThat(Files.size(folder.resolve("waves"))).isLessThan(200);
    }

    @Test
    void anotherFlagReplacesTheAnswers() {
        wave(1, 6);
        waves.reconfigure(ANSWERING.answering(FLAG + 1, FIVE));
        think();
        copy(1, 5, "192.0.2.1");
        assertThat(lookup.match().flag(0)).isEqualTo(FLAG + 1);
        assertThat(lookup.match().flagCount()).isEqualTo(1);
        waves.reconfigure(WaveSettings.counting());
        think();
        assertThat(waves.figures().answering()).isZero();
    }

    @Test
    void growthOrdersGroups() {
        for (int i = 0; i < 30; i++) {
            copy(1, 5, "192.0.2.1");
        }
        think();
        pass(Duration.ofMinutes(30));
        for (int i = 0; i < 10; i++) {
            copy(2, 5, "192.0.2.1");
        }
        waves.drain(hashes.now());
        waves.judge(hashes.now());
        assertThat(waves.top(Waves.Order.GROWTH, 10)).extracting(WaveReport::checks).containsExactly(10L, 30L);
        assertThat(waves.top(Waves.Order.HOUR, 10)).extracting(WaveReport::checks).containsExactly(30L, 10L);
        assertThat(waves.group(waves.top(Waves.Order.HOUR, 1).getFirst().name())).map(WaveReport::checks)
                .isEqualTo(Optional.of(30L));
    }
}
