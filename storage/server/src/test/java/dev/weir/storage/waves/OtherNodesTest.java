package dev.weir.storage.waves;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;

import dev.weir.model.Digest;
import dev.weir.model.Networks;
import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.access.FlagSet;
import dev.weir.storage.access.gate.SkipList;
import dev.weir.storage.notes.NodeNotes;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.sampling.CountCurve;
import dev.weir.storage.state.StateFile;
import dev.weir.storage.state.StateFiles;
import dev.weir.wire.command.Extension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

/** Nodes that tell each other what they count. */
class OtherNodesTest {
    private static final WaveSettings.Size THIRTY = new WaveSettings.Size(30, 20, Duration.ofHours(1));
    private static final WaveSettings SETTINGS = WaveSettings.counting().withTable(1_000, Duration.ofDays(1))
            .answering(60, THIRTY).excluding(new WaveSettings.Exclusions(FlagSet.none(),
                    Networks.perFamily("198.51.100.0/24"), Set.of()));

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-29T10:00:30Z"));

    private List<CountingNode> nodes(int count, WaveSettings settings) {
        List<CountingNode> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            nodes.add(new CountingNode(settings, now, i));
            // So that the first one has the oldest key.
            pass(Duration.ofMillis(1));
        }
        return nodes;
    }

    private void pass(Duration time) {
        now.updateAndGet(moment -> moment.plus(time));
    }

    private static String name(int node) {
        return "redis " + node;
    }

    /** Lets all nodes hear of all others, as a shared Redis does. */
    private static void exchange(List<CountingNode> nodes) {
        for (int from = 0; from < nodes.size(); from++) {
            for (int to = 0; to < nodes.size(); to++) {
                if (from != to) {
                    nodes.get(from).tell(nodes.get(to), name(from), known -> known.startsWith("redis"), from < to);
                }
            }
        }
    }

    /** Gives all nodes the key of the first one. */
    private static void agree(List<CountingNode> nodes) {
        exchange(nodes);
    }

    /** An estimate within three standard errors of 7 %. */
    private static Consumer<Integer> about(int right) {
        return estimate -> assertThat(estimate).isCloseTo(right, withinPercentage(21));
    }

    private static void ask(CountingNode node, long text, int copies, int firstClient) {
        for (int i = 0; i < copies; i++) {
            node.copy(text, 5, "192.0.2." + (firstClient + i));
        }
        node.think();
    }

    @Test
    void aWaveThatIsSpreadOverTenNodesIsSeen() {
        List<CountingNode> nodes = nodes(10, SETTINGS);
        agree(nodes);
        for (int i = 0; i < nodes.size(); i++) {
            ask(nodes.get(i), 1, 4, 10 * i);
        }
        assertThat(nodes).allSatisfy(node -> assertThat(node.waves.figures().answering()).isZero());
        exchange(nodes);
        exchange(nodes);
        assertThat(nodes).allSatisfy(node -> {
            WaveReport wave = node.only();
            assertThat(wave.hour()).as("each check counts once").isEqualTo(40);
            assertThat(wave.checks()).isEqualTo(40);
            assertThat(wave.nodes()).isEqualTo(10);
            assertThat(wave.clients()).satisfies(about(40));
            assertThat(wave.networks()).isEqualTo(1);
            assertThat(wave.state()).isEqualTo(WaveState.ANSWERS);
            assertThat(node.waves.figures().nodes()).isEqualTo(9);
        });
        assertThat(nodes.get(3).copy(1, 5, "192.0.2.1")).isEqualTo(40);
        assertThat(nodes.get(3).copy(2, 5, "192.0.2.1")).isZero();
    }

    @Test
    void clientsThatAskSeveralNodesCountOnce() {
        List<CountingNode> nodes = nodes(3, SETTINGS);
        agree(nodes);
        nodes.forEach(node -> ask(node, 1, 5, 1));
        exchange(nodes);
        assertThat(nodes).allSatisfy(node -> {
            assertThat(node.only().hour()).isEqualTo(15);
            assertThat(node.only().clients()).isEqualTo(5);
        });
    }

    @Test
    void aNodeWithoutAnyCopyAnswersTheFirstOne() {
        List<CountingNode> nodes = nodes(2, SETTINGS);
        agree(nodes);
        ask(nodes.getFirst(), 1, 40, 1);
        exchange(nodes);
        assertThat(nodes.get(1).copy(1, 5, "203.0.113.1")).isEqualTo(40);
        nodes.get(1).think();
        assertThat(nodes.get(1).only().hour()).isEqualTo(41);
        assertThat(nodes.get(1).only().nodes()).isEqualTo(2);
        exchange(nodes);
        assertThat(nodes.get(0).only().hour()).as("its own checks do not come back").isEqualTo(41);
    }

    @Test
    void aMailSeenOnceHereJoinsTheGroupOfAnotherNode() {
        List<CountingNode> nodes = nodes(2, SETTINGS);
        agree(nodes);
        ask(nodes.get(1), 1, 1, 200);
        ask(nodes.getFirst(), 1, 40, 1);
        exchange(nodes);
        assertThat(nodes.get(1).only().hour()).isEqualTo(41);
    }

    @Test
    void aNewNodeTakesTheKeyOfTheOthersAndLosesNoChecks() {
        List<CountingNode> nodes = nodes(2, SETTINGS);
        ask(nodes.get(0), 1, 15, 1);
        ask(nodes.get(1), 1, 16, 16);
        exchange(nodes);
        exchange(nodes);
        assertThat(nodes.get(0).only().hour()).isEqualTo(31);
        assertThat(nodes.get(0).only().clients()).as("those of the new node asked under another key")
                .satisfies(about(15));
        ask(nodes.get(1), 1, 16, 16);
        exchange(nodes);
        assertThat(nodes).allSatisfy(node -> assertThat(node.only().clients()).satisfies(about(31)));
    }

    @Test
    void aSilentNodeIsForgotten() {
        List<CountingNode> nodes = nodes(2, SETTINGS);
        agree(nodes);
        ask(nodes.get(0), 1, 40, 1);
        ask(nodes.get(1), 2, 3, 1);
        exchange(nodes);
        assertThat(nodes.get(1).waves.figures().groups()).isEqualTo(2);
        pass(Duration.ofMinutes(9));
        nodes.get(1).think();
        assertThat(nodes.get(1).waves.figures().groups()).isEqualTo(2);
        pass(Duration.ofMinutes(2));
        nodes.get(1).think();
        assertThat(nodes.get(1).waves.figures().nodes()).isZero();
        assertThat(nodes.get(1).waves.figures().answering()).isZero();
        assertThat(nodes.get(1).only().hour()).isEqualTo(3);
    }

    @Test
    void whatOneNodeExcludesAnswersNowhere() {
        List<CountingNode> nodes = nodes(2, SETTINGS);
        agree(nodes);
        nodes.get(0).copy(1, 5, "192.0.2.1", new Extension.SenderIp(InetAddress.ofLiteral("198.51.100.7")));
        ask(nodes.get(0), 1, 5, 1);
        ask(nodes.get(1), 1, 40, 1);
        assertThat(nodes.get(1).waves.figures().answering()).isEqualTo(1);
        exchange(nodes);
        pass(Duration.ofSeconds(11));
        nodes.get(1).think();
        assertThat(nodes.get(1).only().state()).isEqualTo(WaveState.EXCLUDED);
        assertThat(nodes.get(1).copy(1, 5, "192.0.2.1")).isZero();
    }

    @Test
    void theSkipListOfANodeWithoutAnyCopyHoldsForAll(@TempDir Path folder) throws Exception {
        List<CountingNode> nodes = nodes(2, SETTINGS);
        agree(nodes);
        ask(nodes.get(1), 1, 40, 1);
        exchange(nodes);
        Digest leader = nodes.get(0).only().leader();
        StateFiles files = new StateFiles(folder, InstantSource.system());
        nodes.get(0).gate.skips().load(files.file(SkipList.FORMAT, 42));
        nodes.get(0).gate.skips().add(new SkipList.Entry(leader, "a newsletter", Long.MAX_VALUE));
        exchange(nodes);
        pass(Duration.ofSeconds(11));
        nodes.get(1).think();
        assertThat(nodes.get(1).only().state()).isEqualTo(WaveState.EXCLUDED);
        assertThat(nodes.get(1).copy(1, 5, "192.0.2.1")).isZero();
        assertThat(nodes.get(1).only().nodes()).as("one node counted it").isEqualTo(1);

        // The other node is silent, and this one starts again: it still knows what the operator said.
        nodes.get(0).waves.examineAgain(leader);
        pass(Duration.ofMinutes(12));
        nodes.get(0).think();
        assertThat(nodes.get(0).waves.figures().groups()).isEqualTo(1);
        StateFile file = files.file(Waves.FORMAT, 42);
        nodes.get(0).waves.save(file);
        CountingNode restarted = new CountingNode(SETTINGS, now, 5);
        restarted.gate.skips().load(files.file(SkipList.FORMAT, 42));
        restarted.waves.load(file);
        assertThat(restarted.waves.group(leader.hex()).orElseThrow().state()).isEqualTo(WaveState.SKIPPED);
    }

    @Test
    void groupsWithMostChecksOfAllNodesAreToldFirst() throws Exception {
        List<CountingNode> nodes = nodes(2, SETTINGS);
        agree(nodes);
        ask(nodes.get(0), 1, 5, 1);
        ask(nodes.get(0), 2, 10, 1);
        ask(nodes.get(1), 1, 40, 1);
        exchange(nodes);
        assertThat(told(nodes.get(0), _ -> true)).extracting(SavedWave::checks).containsExactly(5L, 10L);
    }

    private static List<SavedWave> told(CountingNode node, Predicate<String> known) throws IOException {
        return WaveNote.unpack(node.waves.write(known), CountCurve.hoursOf(Duration.ofDays(1))).waves();
    }

    @Test
    void nothingUnderAnOldKeyIsToldUnderANewOne() throws Exception {
        List<CountingNode> nodes = nodes(3, SETTINGS);
        List<CountingNode> younger = nodes.subList(1, 3);
        exchange(younger);
        younger.forEach(node -> ask(node, 1, 20, 1 + 40 * younger.indexOf(node)));
        exchange(younger);
        assertThat(told(nodes.get(1), _ -> false)).singleElement()
                .satisfies(wave -> assertThat(wave.clients().count()).isGreaterThan(30));
        // As if a follower asked before the thread of the waves reads the rings.
        nodes.get(1).waves.read("leader", true, nodes.get(0).waves.write(_ -> false));
        assertThat(told(nodes.get(1), _ -> false)).singleElement().satisfies(wave -> {
            assertThat(wave.checks()).isEqualTo(40);
            assertThat(wave.clients().count()).isZero();
            assertThat(wave.networks().count()).isZero();
        });
    }

    @Test
    void aNodeWithAnotherPlaceForgetsWhatOthersTold() {
        List<CountingNode> nodes = nodes(2, SETTINGS);
        agree(nodes);
        nodes.forEach(node -> ask(node, 1, 20, 1));
        exchange(nodes);
        assertThat(nodes.get(0).only().hour()).isEqualTo(40);
        nodes.get(0).waves.forget();
        assertThat(nodes.get(0).only().hour()).isEqualTo(20);
        assertThat(nodes.get(0).waves.figures().nodes()).isZero();
    }

    @Test
    void oneNodeLearnsAndTheOthersSeeIt() {
        List<CountingNode> nodes = nodes(3, SETTINGS.learning(new WaveSettings.Learn(11, 4, THIRTY, 20)));
        agree(nodes);
        nodes.forEach(node -> ask(node, 1, 15, 1 + 20 * nodes.indexOf(node)));
        exchange(nodes);
        nodes.forEach(node -> ask(node, 1, 31, 1 + 40 * nodes.indexOf(node)));
        assertThat(nodes).as("the first turn lets notes arrive").allSatisfy(node -> assertThat(node.sent).isEmpty());
        pass(Duration.ofSeconds(31));
        nodes.forEach(CountingNode::think);
        assertThat(nodes.get(0).sent).isNotEmpty();
        assertThat(nodes.get(1).sent).isEmpty();
        pass(Duration.ofSeconds(30));
        // The learned hashes reach the second node, and not yet the third.
        nodes.get(0).learned().forEach(update -> nodes.get(1).index.apply(update.update()));
        nodes.forEach(CountingNode::think);
        assertThat(nodes.get(1).sent).isEmpty();
        assertThat(nodes.get(1).only().state()).isEqualTo(WaveState.KNOWN);
        assertThat(nodes.get(2).sent).isEmpty();
        pass(Duration.ofSeconds(30));
        nodes.get(2).think();
        assertThat(nodes.get(2).sent).as("the others are silent").isNotEmpty();
    }

    @Test
    void noNodeLearnsAgainWhatOneLearnedAndAnOperatorUndid(@TempDir Path folder) throws Exception {
        WaveSettings learning = SETTINGS.learning(new WaveSettings.Learn(11, 4, THIRTY, 20));
        List<CountingNode> nodes = nodes(2, learning);
        agree(nodes);
        nodes.forEach(node -> ask(node, 1, 31, 1 + 40 * nodes.indexOf(node)));
        exchange(nodes);
        pass(Duration.ofSeconds(31));
        nodes.getFirst().think();
        List<QueuedUpdate> learned = nodes.getFirst().learned();
        assertThat(learned).isNotEmpty();
        learned.forEach(update -> nodes.get(1).index.apply(update.update()));
        exchange(nodes);
        pass(Duration.ofMinutes(2));
        nodes.get(1).think();
        assertThat(nodes.get(1).only().state()).isEqualTo(WaveState.KNOWN);
        nodes.forEach(node -> learned.forEach(
                update -> node.index.apply(new Update.DeleteAll(((Update.Write) update.update()).digest()))));
        StateFile file = new StateFiles(folder, InstantSource.system()).file(Waves.FORMAT, 42);
        nodes.get(1).waves.save(file);
        nodes.add(new CountingNode(learning, now, 5));
        nodes.get(2).waves.load(file);
        for (int round = 0; round < 5; round++) {
            exchange(nodes);
            nodes.forEach(node -> ask(node, 1, 5, 100));
            pass(Duration.ofMinutes(1));
            nodes.forEach(CountingNode::think);
            assertThat(nodes).allSatisfy(node -> assertThat(node.sent).isEmpty());
        }
    }

    @Test
    void aNodeThatStartsAgainWaitsForWhatOthersExclude(@TempDir Path folder) throws Exception {
        WaveSettings learning = SETTINGS.learning(new WaveSettings.Learn(11, 4, THIRTY, 20));
        List<CountingNode> nodes = nodes(2, learning);
        agree(nodes);
        nodes.get(0).copy(1, 5, "192.0.2.1", new Extension.SenderIp(InetAddress.ofLiteral("198.51.100.7")));
        ask(nodes.get(0), 1, 5, 1);
        exchange(nodes);
        ask(nodes.get(1), 1, 40, 1);
        StateFile file = new StateFiles(folder, InstantSource.system()).file(Waves.FORMAT, 42);
        nodes.get(1).waves.save(file);
        CountingNode restarted = new CountingNode(learning, now, 5);
        restarted.waves.load(file);
        restarted.waves.exchangesWithOthers(() -> true);
        restarted.think();
        pass(Duration.ofSeconds(20));
        restarted.think();
        assertThat(restarted.sent).isEmpty();
        nodes.get(0).tell(restarted, name(0), known -> known.startsWith("redis"), true);
        pass(Duration.ofMinutes(5));
        restarted.think();
        assertThat(restarted.sent).isEmpty();
        assertThat(restarted.only().state()).isEqualTo(WaveState.EXCLUDED);
    }

    @Test
    void aNodeThatHearsNothingLearnsAloneAfterItsTurn() {
        CountingNode alone = new CountingNode(SETTINGS.learning(new WaveSettings.Learn(11, 4, THIRTY, 20)), now, 0);
        alone.waves.exchangesWithOthers(() -> true);
        ask(alone, 1, 40, 1);
        assertThat(alone.sent).isEmpty();
        pass(Duration.ofSeconds(31));
        alone.think();
        assertThat(alone.sent).isNotEmpty();
    }

    @Test
    void aFollowerLeavesLearningToItsLeader() {
        AtomicBoolean leads = new AtomicBoolean();
        CountingNode node = new CountingNode(SETTINGS.learning(new WaveSettings.Learn(11, 4, THIRTY, 20)), now, 0);
        node.waves.exchangesWithOthers(leads::get);
        ask(node, 1, 40, 1);
        pass(Duration.ofMinutes(2));
        ask(node, 1, 1, 1);
        assertThat(node.sent).isEmpty();
        leads.set(true);
        ask(node, 1, 1, 1);
        assertThat(node.sent).as("it leads now").isNotEmpty();
    }

    @Test
    void followersAndTheirFollowersAddUpThroughTheirLeaders() {
        List<CountingNode> nodes = nodes(4, SETTINGS);
        CountingNode leader = nodes.get(0);
        CountingNode one = nodes.get(1);
        CountingNode other = nodes.get(2);
        CountingNode below = nodes.get(3);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; round == 1 && i < nodes.size(); i++) {
                ask(nodes.get(i), 1, 5 + i, 20 * i);
            }
            for (int way = 0; way < 2; way++) {
                below.tell(one, "follower below", "leader"::equals, false);
                one.tell(leader, "follower one", "leader"::equals, false);
                other.tell(leader, "follower other", "leader"::equals, false);
                leader.tell(one, "leader", "follower one"::equals, true);
                leader.tell(other, "leader", "follower other"::equals, true);
                one.tell(below, "leader", "follower below"::equals, true);
            }
        }
        assertThat(nodes).allSatisfy(node -> {
            assertThat(node.only().hour()).isEqualTo(5 + 6 + 7 + 8);
            assertThat(node.only().clients()).satisfies(about(26));
        });
    }

    @Test
    void whatIsNoNoteChangesNothingAndIsCounted() {
        List<CountingNode> nodes = nodes(2, SETTINGS);
        agree(nodes);
        ask(nodes.get(0), 1, 40, 1);
        byte[] note = nodes.get(0).waves.write(_ -> true);
        CountingNode reader = nodes.get(1);
        for (int i = 0; i < note.length; i += 1 + note.length / 50) {
            byte[] damaged = note.clone();
            damaged[i] ^= 0x10;
            reader.waves.read(name(0), true, damaged);
        }
        reader.waves.read(name(0), true, new byte[0]);
        reader.waves.read(name(0), true, new byte[NodeNotes.MOST_BYTES + 1]);
        long refused = reader.waves.figures().notesRefused();
        assertThat(refused).isGreaterThanOrEqualTo(50);
        assertThat(reader.waves.figures().groups()).isZero();
        reader.waves.read(name(0), true, note);
        assertThat(reader.waves.figures().groups()).isEqualTo(1);
        assertThat(reader.waves.figures().notesRefused()).isEqualTo(refused);
    }

    @Test
    void aNodeWhoseClockIsAheadIsNotBelieved() {
        AtomicReference<Instant> wrong = new AtomicReference<>(now.get().plus(Duration.ofHours(3)));
        List<CountingNode> nodes = nodes(1, SETTINGS);
        CountingNode ahead = new CountingNode(SETTINGS, wrong, 7);
        nodes.getFirst().tell(ahead, name(0), known -> known.startsWith("redis"), true);
        ask(ahead, 1, 40, 1);
        ahead.tell(nodes.getFirst(), name(7), known -> known.startsWith("redis"), false);
        assertThat(nodes.getFirst().waves.figures().groups()).isZero();
    }

    @Test
    void theCountsOfOthersStayWithinTheirBoundAndDisplaceNoGroupOfThisNode() {
        WaveSettings large = SETTINGS.withTable(40_000, Duration.ofDays(1));
        CountingNode small = new CountingNode(SETTINGS, now, 0);
        pass(Duration.ofMillis(1));
        CountingNode loud = new CountingNode(large, now, 1);
        small.tell(loud, name(0), known -> known.startsWith("redis"), true);
        ask(small, 1, 12, 1);
        for (int text = 2; text < 2_002; text++) {
            loud.copy(text, 5, "192.0.2.1");
            loud.copy(text, 5, "192.0.2.2");
            if (text % 100 == 0) {
                loud.think();
            }
        }
        loud.think();
        assertThat(loud.waves.write(_ -> true).length).isLessThan(NodeNotes.MOST_BYTES);
        assertThat(loud.waves.figures().unsent()).isEqualTo(2_000 - WaveNote.MOST);
        for (int i = 0; i < 20; i++) {
            loud.tell(small, name(1 + i), known -> known.startsWith("redis"), false);
        }
        WaveFigures figures = small.waves.figures();
        assertThat(figures.displacedGroups()).isZero();
        assertThat(figures.ignored()).as("all had room for few").isGreaterThan(20L * (WaveNote.MOST - 1_000 / 16));
        assertThat(figures.groups()).as("as many as the table has room for").isEqualTo(1_000 / 16);
        assertThat(figures.bytes()).isLessThan(figures.mostBytes());
        assertThat(small.waves.top(Waves.Order.HOUR, 100)).extracting(WaveReport::checks).contains(12L);
        // Groups of this node take the place of those that only others have.
        for (int text = 5_000; text < 5_040; text++) {
            ask(small, text, 2, 1);
        }
        assertThat(small.waves.top(Waves.Order.HOUR, 100)).filteredOn(wave -> wave.nodes() == 1 && wave.hour() == 2)
                .hasSizeGreaterThanOrEqualTo(38);
        assertThat(small.waves.figures().bytes()).isLessThan(figures.mostBytes());
    }

    @Test
    void theFileHasOnlyWhatThisNodeCounted(@TempDir Path folder) throws Exception {
        List<CountingNode> nodes = nodes(2, SETTINGS);
        agree(nodes);
        ask(nodes.get(0), 1, 40, 1);
        ask(nodes.get(1), 2, 3, 1);
        exchange(nodes);
        StateFile file = new StateFiles(folder, InstantSource.system()).file(Waves.FORMAT, 42);
        nodes.get(1).waves.save(file);
        CountingNode restarted = new CountingNode(SETTINGS, now, 5);
        restarted.waves.load(new StateFiles(folder, InstantSource.system()).file(Waves.FORMAT, 42));
        assertThat(restarted.only().checks()).isEqualTo(3);
        nodes.get(0).tell(restarted, name(0), known -> known.startsWith("redis"), true);
        assertThat(restarted.waves.figures().groups()).as("it has the common key").isEqualTo(2);
    }

    @Test
    void aStoredHashIsToldToNobody() {
        List<CountingNode> nodes = nodes(2, SETTINGS);
        agree(nodes);
        ask(nodes.get(0), 1, 40, 1);
        nodes.get(0).index.apply(new Update.Write(Samples.digest(7), 11, 9, 0, Samples.signature(1)));
        pass(Duration.ofSeconds(11));
        nodes.get(0).copy(2, 0, "192.0.2.1");
        assertThat(nodes.get(0).only().state()).isEqualTo(WaveState.KNOWN);
        exchange(nodes);
        assertThat(nodes.get(1).waves.figures().groups()).isZero();
    }
}
