package dev.weir.storage.log;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.KeyedHash;
import dev.weir.model.Update;
import dev.weir.storage.Model;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.checkpoint.CheckpointBuild;
import dev.weir.storage.checkpoint.CheckpointLock;
import dev.weir.storage.checkpoint.CheckpointSettings;
import dev.weir.storage.engine.CheckpointPlace;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.engine.EngineFiles;
import dev.weir.storage.engine.EngineTurns;
import dev.weir.storage.engine.LastRun;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.queue.Role;
import dev.weir.storage.queue.UpdateWriter;
import dev.weir.storage.replication.Checkpoint;
import dev.weir.storage.replication.CheckpointReader;
import dev.weir.storage.replication.Confirmations;
import dev.weir.storage.replication.Feed;
import dev.weir.storage.replication.Follower;
import dev.weir.storage.replication.FollowerKey;
import dev.weir.storage.replication.FollowerPositions;
import dev.weir.storage.replication.Inbox;
import dev.weir.storage.replication.Leader;
import dev.weir.storage.replication.Message;
import dev.weir.storage.replication.MessageException;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.ListSource;
import dev.weir.storage.transfer.Omissions;
import dev.weir.wire.key.PublicKey;
import org.jspecify.annotations.Nullable;

/**
 * Four nodes over many runs: the real engine, leader and follower, on simulated disks and a network that loses,
 * doubles, delays, cuts and exchanges messages. Node 0 leads at first, 1 and 2 follow it, and 3 gets a part of the
 * hashes from one of them. Processes are killed, machines lose power, one of the followers is promoted, and the old
 * leader comes back. Everything follows from one seed. It throws {@link AssertionError} if a follower is ever
 * anything but late, or if an update that was acknowledged as replicated is lost.
 */
final class ReplicationSimulation {
    private static final int NODES = 4;
    private static final int PARTIAL = 3;
    private static final int DIGESTS = 12;
    private static final CheckpointSettings SETTINGS = new CheckpointSettings(700, 48, 4, 30_000,
            Duration.ofMinutes(10));
    /**
     * The time for which clients repeat a request. Nodes remember them for 30 seconds, of which each time that a clock
     * is set may take one.
     */
    private static final Duration REPEATS = Duration.ofSeconds(25);
    private static final LogLimits COPIED = new LogLimits(8_192, 1 << 20, 0, Duration.ZERO, 0, LogLimits.REPEATS);
    private static final Feed PART = new Feed(Map.of(1, 11, 2, 2), null, false);

    private final SplittableRandom random;
    private final Map<Event, Long> events;
    private final SimulatedClock clock = new SimulatedClock();
    private final Lookup lookup = new Lookup();
    private final List<Node> nodes = new ArrayList<>();
    private final List<Flight> network = new ArrayList<>();
    private final boolean[][] parted = new boolean[NODES][NODES];

    /** What each history consists of: a running checksum leads to the one before and to the update in between. */
    private final Map<Point, Step> histories = new HashMap<>();
    private final Map<Integer, Integer> told = new TreeMap<>();
    /** Updates in folders that a copy has replaced. */
    private final Set<Integer> kept = new HashSet<>();
    /** Whether a folder was lost, so that nodes can have different histories without a promotion. */
    private boolean forked;
    private boolean settling;
    private int tags;
    private int leader;

    /** Whether logs have room for all requests that clients may repeat. */
    private final boolean roomy;

    /** When the time of day was set last. */
    private long setNanos = -REPEATS.toNanos();

    /** The requests that clients may repeat, the oldest first. */
    private final Deque<Request> requests = new ArrayDeque<>();

    /** What must happen in some run. */
    enum Event {
        LOST,
        DOUBLED,
        DELAYED,
        CUT,
        KILLED,
        POWER_CUT,
        PROMOTED,
        STARTED_AGAIN,
        FENCED,
        REPLICATED,
        APPLIED,
        HELD,
        DISCARDED,
        PROVEN,
        KEPT,
        ROLLED_BACK,
        RESTORED,
        EMPTIED,
        UNCONFIRMED,
        RESENT,
        RECOGNIZED,
        FORGOTTEN,
        CLOCK_SET,
        CLOCK_SET_BETWEEN_RUNS,
        PLACES_DAMAGED,
        NOTE_DAMAGED,
        BOTH_REPLACED
    }

    /** A place in a history. */
    private record Point(long revision, long checksum) {}

    /** The last step to a place. */
    private record Step(@Nullable Point before, @Nullable LoggedUpdate update) {}

    /** A request of a client, and when it was first sent. */
    private record Request(int id, Update update, UpdateOrigin origin, long nanos) {}

    /** Bytes under way. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Flight(int from, int to, boolean question, byte[] bytes, long life) {}

    ReplicationSimulation(long seed, Map<Event, Long> events) {
        this.random = new SplittableRandom(seed);
        this.events = events;
        this.roomy = random.nextBoolean();
        for (int i = 0; i < NODES; i++) {
            nodes.add(new Node(i));
        }
        nodes.forEach(node -> {
            node.start();
            node.life().record();
        });
    }

    private void note(Event event) {
        events.merge(event, 1L, Long::sum);
    }

    /** The disks of store and log, which outlive the process. */
    private record Place(long id, SimulatedDisk files, SimulatedDisk disk) implements EngineFiles {
        @Override
        public CheckpointPlace openStore() {
            return new CheckpointPlace(files, SETTINGS, () -> id, CheckpointLock.NONE);
        }

        @Override
        public Disk openLog() {
            return disk;
        }

        @Override
        public LogEndNote logEnd(long storageId) {
            return LogEndNote.NONE;
        }

        @Override
        public boolean hasRun() {
            return false;
        }

        @Override
        public Optional<LastRun> lastRun(long storageId) {
            return Optional.empty();
        }

        @Override
        public void saveLastRun(long storageId, LastRun last) {
            // Hashes do not expire here by themselves.
        }

        @Override
        public void close() {
            // It outlives the process.
        }

        void crash() {
            disk.crash();
            files.crash();
        }

        void kill() {
            disk.kill();
            files.kill();
        }
    }

    /** One node with what outlives its processes. */
    private final class Node {
        final int number;
        final Faults faults;
        Place place;
        int above;
        boolean follows;
        boolean fenced;
        int ids;
        long lives;
        /** The state file with the places of followers. */
        byte[] positions = new byte[0];
        /** An older copy of the folder. */
        @Nullable
        Place older;
        @Nullable
        Life life;

        Node(int number) {
            this.number = number;
            this.faults = new Faults(random.split(), new HashMap<>());
            this.place = new Place(number * 1_000L + 7, newDisk(), newDisk());
            this.follows = number != 0;
            this.above = number == PARTIAL ? 1 + random.nextInt(2) : 0;
        }

        /** A copy of the folder as of now, of a stopped node. */
        Place copy(Place of) {
            return new Place(of.id(), of.files().copy(faults), of.disk().copy(faults));
        }

        SimulatedDisk newDisk() {
            return new SimulatedDisk(faults, SimulatedDisk.Watcher.NONE);
        }

        Feed feedOf(int follower) {
            return follower == PARTIAL ? PART : Feed.WHOLE;
        }

        void start() {
            lives++;
            int segment = 4_096 << random.nextInt(3);
            LogLimits limits = new LogLimits(segment, segment * (roomy ? 64 : 3L + random.nextInt(8)), 0, Duration.ZERO,
                    0, LogLimits.DEFAULT.repeats());
            Confirmations confirmations = new Confirmations(1, Duration.ofSeconds(20));
            EngineConfig config = new EngineConfig(Duration.ZERO, Duration.ofSeconds(1),
                    UpdateWriter.Acknowledge.DURABLE, limits, clock, clock::nanos, () -> new KeyedHash(1, 2),
                    Runnable::run,
                    new EngineConfig.Replication(
                            follows ? Role.Part.FOLLOWER : fenced ? Role.Part.FENCED : Role.Part.LEADER,
                            confirmations));
            Map<Long, LoggedUpdate> found = new HashMap<>();
            try {
                EngineTurns engine = EngineTurns.open(config, place, update -> found.put(update.revision(), update),
                        _ -> {});
                life = new Life(this, engine, found, confirmations, limits);
            } catch (StorageException e) {
                throw new AssertionError("node " + number + " does not start: " + e.getMessage(), e);
            }
        }

        Life life() {
            Life now = life;
            if (now == null) {
                throw new IllegalStateException("node " + number + " does not run");
            }
            return now;
        }

        void die(boolean power) {
            note(power ? Event.POWER_CUT : Event.KILLED);
            if (random.nextInt(3) > 0) {
                life().savePositions();
            }
            life().leader.close();
            life = null;
            if (power) {
                place.crash();
            } else {
                place.kill();
            }
        }
    }

    /** A process. */
    private final class Life implements Leader.Surroundings {
        final Node node;
        final EngineTurns engine;
        final Leader leader;
        final Follower follower;
        final long id;
        final Map<String, FollowerKey> keys = new HashMap<>();
        /** What the start read from the log, by revision. */
        private final Map<Long, LoggedUpdate> found;
        private final FollowerPositions positions = new FollowerPositions();
        /** The requests that this process has found in the log or has got. */
        private final Set<Integer> remembered = new HashSet<>();
        private @Nullable Point recorded;

        Life(Node node, EngineTurns engine, Map<Long, LoggedUpdate> found, Confirmations confirmations,
                LogLimits limits) {
            this.node = node;
            this.engine = engine;
            this.found = found;
            found.values().forEach(update -> remembered.add(update.origin().tag()));
            this.id = node.number * 1_000_000L + node.lives;
            for (int i = 0; i < NODES; i++) {
                byte[] key = new byte[32];
                Arrays.fill(key, (byte) (i + 1));
                keys.put("n" + i, new FollowerKey("n" + i, PublicKey.of(key), node.feedOf(i), i != PARTIAL,
                        limits.segmentBytes() * (long) random.nextInt(6)));
            }
            if (node.positions.length > 0) {
                Ledger.check(positions.restore(node.positions, engine.log().tip()), "the places cannot be read");
            }
            this.leader = new Leader(engine.log(), engine.engine().role(), id, keys.values(), confirmations,
                    this::checkpoint, this, new Inbox(engine::offer, _ -> {}, () -> clock.millis() / 1_000), positions);
            this.follower = new Follower(engine.log(), id, clock::nanos, () -> engine.engine().hashes().size() > 0);
        }

        @Override
        public List<Long> above() {
            return node.follows ? follower.state().path() : List.of();
        }

        @Override
        public void higherEpoch(LeaderEpoch epoch) {
            if (!node.follows && !node.fenced) {
                note(Event.FENCED);
                node.fenced = true;
                var _ = engine.engine().writer().fence();
                engine.turns().write();
            }
        }

        @Override
        public long millis() {
            return clock.millis();
        }

        UpdateLog log() {
            return engine.log();
        }

        private Checkpoint checkpoint() {
            UpdateLog.Tip tip = log().tip();
            List<StoredHash> hashes = model(new Point(tip.revision(), tip.checksum()), Feed.WHOLE).all();
            return new Checkpoint(new ListSource(hashes.size(), 1, n -> hashes.get((int) n - 1)), tip.revision());
        }

        Point end() {
            UpdateLog.Tip tip = log().tip();
            return new Point(tip.revision(), tip.checksum());
        }

        /** Writes the state file, as each minute. */
        void savePositions() {
            try {
                leader.noteEpoch();
            } catch (StorageException e) {
                throw new AssertionError(e);
            }
            node.positions = positions.content(log().tip().epoch());
        }

        /** Records the updates of the log as a history. */
        void record() {
            UpdateLog.Tip tip = log().tip();
            Point end = new Point(tip.revision(), tip.checksum());
            if (tip.revision() == 0) {
                histories.putIfAbsent(end, new Step(null, null));
            }
            if (node.number == PARTIAL || histories.containsKey(end)) {
                recorded = end;
                return;
            }
            Point from = recorded;
            try {
                if (from == null) {
                    long first = tip.revision();
                    while (first > 0 && log().has(first)
                            && !known(first) && log().checksumAt(first - 1).isPresent()) {
                        first--;
                    }
                    OptionalLong sum = log().checksumAt(first);
                    from = new Point(first, sum.orElseThrow());
                    if (!histories.containsKey(from)) {
                        Ledger.check(first == 0, "update %d of node %d has no history", first, node.number);
                        histories.put(from, new Step(null, null));
                    }
                }
                // A full log confirms what the start found only when the backend has stored it. By then the log may
                // have released it.
                while (from.revision() < tip.revision() && !log().has(from.revision() + 1)) {
                    from = step(from, Objects.requireNonNull(found.get(from.revision() + 1)));
                }
                try (LogReader reader = log().reader(from.revision() + 1)) {
                    while (from.revision() < tip.revision()) {
                        for (LoggedUpdate update : reader
                                .read((int) Math.min(100, tip.revision() - from.revision()))) {
                            from = step(from, update);
                        }
                    }
                }
            } catch (StorageException | IOException e) {
                throw new AssertionError(e);
            }
            Ledger.check(from.equals(end), "the checksum of node %d is not that of its updates", node.number);
            recorded = end;
        }

        private Point step(Point from, LoggedUpdate update) {
            Point next = new Point(update.revision(), RunningChecksum.after(from.checksum(), update));
            histories.putIfAbsent(next, new Step(from, update));
            return next;
        }

        private boolean known(long revision) throws StorageException {
            OptionalLong sum = log().checksumAt(revision);
            return sum.isPresent() && histories.containsKey(new Point(revision, sum.getAsLong()));
        }

        /** Compares the index with what the history of this node makes of nothing. */
        void checkIndex() {
            if (log().confirmed() < log().durable()) {
                // The log is full, so the last updates that the start found are not written again yet. The index has
                // them, and the end of the log does not.
                note(Event.UNCONFIRMED);
                return;
            }
            UpdateLog.Tip tip = log().tip();
            Point end = new Point(tip.revision(), tip.checksum());
            Model model = model(end, node.number == PARTIAL ? PART : Feed.WHOLE);
            // A copy knows of renewals from before the partial node had a flag of the hash. Its updates do not tell of
            // them, and then a flag goes that was renewed (seed 1283). A real leader expires no such flag.
            Model renewed = node.number == PARTIAL ? model(end, Feed.WHOLE) : model;
            for (int i = 0; i < DIGESTS; i++) {
                Digest digest = Samples.digest(i);
                HashIndex.KnownHash known = engine.index().known(digest, lookup);
                List<FlagValue> flags = known == null ? List.of() : known.flags();
                List<FlagValue> wanted = model.find(digest, null, Long.MIN_VALUE).map(Model.Answer::flags)
                        .orElse(List.of());
                Ledger.check((new HashSet<>(flags).equals(new HashSet<>(wanted))
                        || (node.number == PARTIAL && new HashSet<>(flags).equals(part(renewed, digest))))
                        && (flags.isEmpty() || node.number == PARTIAL || flags.getFirst().equals(wanted.getFirst())),
                        "node %d has %s of %s at update %d, not %s", node.number, flags, digest, tip.revision(),
                        wanted);
            }
        }
    }

    private static Set<FlagValue> part(Model whole, Digest digest) {
        Set<FlagValue> part = new HashSet<>();
        whole.find(digest, null, Long.MIN_VALUE).map(Model.Answer::flags).orElse(List.of()).forEach(flag -> {
            Integer there = PART.flags().get(flag.flag());
            if (there != null) {
                part.add(new FlagValue(there, flag.value(), flag.time()));
            }
        });
        return part;
    }

    /** Returns the hashes that a history leads to, for a feed. */
    private Model model(Point end, Feed feed) {
        Deque<LoggedUpdate> updates = new ArrayDeque<>();
        Point at = end;
        Step step = histories.get(at);
        while (step != null && step.before() != null) {
            updates.addFirst(Objects.requireNonNull(step.update()));
            at = step.before();
            step = histories.get(at);
        }
        Ledger.check(step != null, "there is no history with update %d and checksum %x", at.revision(), at.checksum());
        Model model = new Model();
        updates.forEach(update -> model.apply(feed.apply(update).update()));
        return model;
    }

    // ---- a run ----

    void run() {
        int steps = 150 + random.nextInt(250);
        for (int i = 0; i < steps; i++) {
            act();
        }
        settle();
    }

    private void act() {
        clock.pass(random.nextInt(400));
        int number = random.nextInt(NODES);
        Node node = nodes.get(number);
        switch (random.nextInt(26)) {
            case 0 -> restart(node, random.nextBoolean());
            case 1 -> part(random.nextInt(NODES), random.nextInt(NODES), random.nextInt(3) == 0);
            case 2 -> {
                if (random.nextInt(6) == 0) {
                    promote();
                }
            }
            case 3 -> node.life().engine.turns().feed();
            case 4, 5, 6, 7, 8 -> ask(node);
            case 9, 10, 11, 12, 13, 14 -> deliver();
            case 15 -> {
                node.life().checkIndex();
                if (node.number != PARTIAL && random.nextInt(8) == 0) {
                    loseFolder(node);
                }
            }
            case 16 -> {
                switch (random.nextInt(12)) {
                    case 0, 1 -> setClock(Event.CLOCK_SET);
                    case 2 -> loseBoth();
                    case 3 -> damageNote(node);
                    default -> resend(nodes.get(leader));
                }
            }
            case 17 -> resend(random.nextInt(8) == 0 ? node : nodes.get(leader));
            default -> learn(random.nextInt(8) == 0 ? node : nodes.get(leader));
        }
        turn(node);
    }

    /** The time of day is set by seconds to years, ahead or back, at most once while a client repeats a request. */
    private void setClock(Event event) {
        if (clock.nanos() - setNanos > REPEATS.toNanos()) {
            note(event);
            setNanos = clock.nanos();
            long by = Math.round(Math.exp(random.nextDouble(Math.log(1e3), Math.log(1e11))));
            clock.jump(random.nextBoolean() ? by : -Math.min(by, clock.millis() / 2));
        }
    }

    /** The folders of the leader and of a follower are replaced, each by a state of another age. */
    private void loseBoth() {
        Node other = nodes.get(other(leader));
        if (random.nextInt(4) == 0 && nodes.get(leader).older != null && other.older != null) {
            note(Event.BOTH_REPLACED);
            loseFolder(nodes.get(leader));
            loseFolder(other);
        }
    }

    /**
     * The file that says who leads has a flipped bit, so that the node takes no updates until an operator promotes it
     * or it follows.
     */
    private void damageNote(Node node) {
        node.die(random.nextBoolean());
        boolean leads = !node.follows && !node.fenced;
        note(Event.NOTE_DAMAGED);
        if (leads) {
            node.fenced = true;
        }
        node.start();
        node.life().record();
        if (leads) {
            int before = tags(node.life().end()).size();
            learn(node);
            Ledger.check(tags(node.life().end()).size() == before, "node %d leads without its file", node.number);
            if (node.number == leader) {
                repromote(node);
            }
        }
    }

    /** A node that led under its epoch leads again, under a new one if its log takes it. */
    private void repromote(Node node) {
        UpdateLog.Tip tip = node.life().log().tip();
        var _ = node.life().engine.engine().writer().promote(0, true, random.nextInt(), _ -> {});
        turn(node);
        boolean leads = node.life().engine.engine().role().leads();
        Ledger.check(leads == !node.life().log().tip().epoch().isSame(tip.epoch()), "half of a promotion");
        node.fenced = !leads;
        forked |= !leads;
    }

    private void turn(Node node) {
        if (node.life != null) {
            node.life().engine.turns().write();
            node.life().record();
        }
    }

    private void restart(Node node, boolean power) {
        node.die(power);
        if (random.nextInt(4) == 0) {
            node.older = node.copy(node.place);
        }
        if (random.nextInt(10) == 0) {
            setClock(Event.CLOCK_SET_BETWEEN_RUNS);
        }
        if (random.nextInt(10) == 0 && node.positions.length > 0) {
            // A flipped bit: the file is kept aside and counts as absent.
            note(Event.PLACES_DAMAGED);
            node.positions = new byte[0];
        }
        node.start();
        node.life().record();
        node.life().checkIndex();
    }

    /** The folder of a node is emptied, or replaced by an older one: a plain copy, or a backup. */
    private void loseFolder(Node node) {
        turn(node);
        Set<Integer> before = tags(node.life().end());
        Place older = node.older;
        node.die(false);
        if (older == null || random.nextInt(4) == 0) {
            note(Event.EMPTIED);
            node.place = new Place(node.number * 1_000L + 8 + ++node.ids, node.newDisk(), node.newDisk());
            node.positions = new byte[0];
            node.start();
        } else {
            node.place = node.copy(older);
            node.start();
            UpdateLog log = node.life().log();
            Point end = node.life().end();
            // A backup has everything in its store.
            node.life().engine.turns().feed();
            if (random.nextBoolean() && log.confirmed() == log.durable() && log.applied() == end.revision()
                    && histories.containsKey(end)) {
                note(Event.RESTORED);
                LeaderEpoch epoch = log.tip().epoch();
                node.die(false);
                node.positions = new byte[0];
                try {
                    UpdateLog.breakHistory(node.place.disk(), epoch.number());
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
                node.start();
                // Otherwise the mark of the backup may come back with a power cut, and begin one more history.
                try {
                    node.place.disk().force();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
                Ledger.check(node.life().end().revision() == end.revision(), "a backup has another end");
                Ledger.check(node.life().end().checksum() != end.checksum(), "a backup has no history of its own");
                histories.put(node.life().end(), Objects.requireNonNull(histories.get(end)));
            } else {
                note(Event.ROLLED_BACK);
            }
        }
        turn(node);
        node.life().checkIndex();
        forked = true;
        before.removeAll(tags(node.life().end()));
        for (int tag : before) {
            if (told.containsKey(tag) && !isKept(tag)) {
                // Every folder that had it is lost.
                told.remove(tag);
            }
        }
    }

    /** Returns whether some node has an update, or has kept it aside. */
    private boolean isKept(int tag) {
        return kept.contains(tag) || nodes.stream()
                .anyMatch(node -> node.number != PARTIAL && tags(node.life().end()).contains(tag));
    }

    /** Returns the updates of clients that a history has. */
    private Set<Integer> tags(Point end) {
        Set<Integer> tags = new HashSet<>();
        Step step = histories.get(end);
        while (step != null && step.before() != null) {
            UpdateOrigin origin = Objects.requireNonNull(step.update()).origin();
            Ledger.check(origin.address() == null || tags.add(origin.tag()), "%d is stored twice", origin.tag());
            step = histories.get(step.before());
        }
        return tags;
    }

    /** Returns whether a history leads through a place. */
    private boolean leadsThrough(Point place, Point end) {
        Point at = end;
        while (at.revision() > place.revision()) {
            Step step = histories.get(at);
            if (step == null || step.before() == null) {
                return false;
            }
            at = step.before();
        }
        return at.equals(place);
    }

    /** What an operator says to a node that refuses to follow. */
    private void hold(Node node, Follower.Step.Held held, boolean decides) {
        note(Event.HELD);
        Ledger.check(held.reason().contains("ends with update " + node.life().log().tip().revision()),
                "a refusal without a position: %s", held.reason());
        if (decides || random.nextInt(4) == 0) {
            note(Event.DISCARDED);
            node.life().follower.discardFor(held.leader());
        }
    }

    private void part(int a, int b, boolean away) {
        parted[a][b] = away;
        parted[b][a] = away;
    }

    private void learn(Node node) {
        int tag = ++tags;
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            Digest digest = Samples.digest(random.nextInt(DIGESTS));
            int flag = 1 + random.nextInt(3);
            long now = clock.millis() / 1_000;
            Update update = switch (random.nextInt(8)) {
                case 0 -> new Update.Delete(digest, flag);
                case 1 -> new Update.DeleteAll(digest);
                case 2 -> new Update.Refresh(digest, now);
                case 3 -> new Update.Expire(digest, flag, now - 30);
                default -> new Update.Write(digest, flag, random.nextInt(1, 9), now, null);
            };
            int id = tag * 10 + i;
            UpdateOrigin origin = new UpdateOrigin(InetAddress.ofLiteral("192.0.2.1"), 7, id, null);
            Request request = new Request(id, update, origin, clock.nanos());
            if (!(update instanceof Update.Refresh || update instanceof Update.Expire)) {
                // No client asks for these.
                requests.add(request);
            }
            send(node, request);
        }
        turn(node);
    }

    private void send(Node node, Request request) {
        node.life().remembered.add(request.id());
        QueuedUpdate.Outcome outcome = new QueuedUpdate.Outcome() {
            @Override
            public void stored() {
                note(Event.REPLICATED);
                if (!(request.update() instanceof Update.Refresh)) {
                    // A second renewal of a hash in one batch is not logged, and no client asks for one.
                    told.put(request.id(), node.number);
                }
            }

            @Override
            public void failed() {
                // A client that gets an error knows nothing.
            }
        };
        node.life().engine.offer(new QueuedUpdate(request.update(), request.origin(), outcome));
    }

    /** A client repeats a request, which counts once for a node that has it. */
    private void resend(Node node) {
        while (!requests.isEmpty() && clock.nanos() - requests.getFirst().nanos() > REPEATS.toNanos()) {
            requests.removeFirst();
        }
        if (requests.isEmpty() || node.number == PARTIAL) {
            // It takes no updates of clients, and does not get all of them.
            return;
        }
        Request request = List.copyOf(requests).get(random.nextInt(requests.size()));
        if (tags(node.life().end()).contains(request.id())) {
            if (!node.life().remembered.contains(request.id())) {
                note(Event.FORGOTTEN);
                Ledger.check(!roomy, "node %d has %d and has forgotten the request", node.number, request.id());
                return;
            }
            note(Event.RECOGNIZED);
        }
        note(Event.RESENT);
        send(node, request);
        turn(node);
        tags(node.life().end());
    }

    private void ask(Node node) {
        if (node.follows) {
            send(node.number, node.above, true, Message.write(node.life().follower.question(0)));
        } else if (random.nextInt(3) == 0) {
            // A promoted node tells the other ones, as does a leader that was told to look.
            send(node.number, random.nextInt(NODES), true, Message.write(node.life().follower.question(0)));
        }
    }

    private void send(int from, int to, boolean question, byte[] bytes) {
        if (from == to || parted[from][to] || random.nextInt(12) == 0) {
            note(Event.LOST);
            return;
        }
        byte[] sent = bytes;
        if (random.nextInt(20) == 0) {
            note(Event.CUT);
            sent = Arrays.copyOf(bytes, random.nextInt(bytes.length));
        }
        network.add(new Flight(from, to, question, sent, nodes.get(question ? from : to).lives));
        if (random.nextInt(10) == 0) {
            note(Event.DOUBLED);
            network.add(network.getLast());
        }
    }

    private void deliver() {
        if (network.isEmpty()) {
            return;
        }
        int which = random.nextInt(3) == 0 ? random.nextInt(network.size()) : 0;
        if (which > 0) {
            note(Event.DELAYED);
        }
        Flight flight = network.remove(which);
        try {
            Message message = Message.read(flight.bytes());
            if (flight.question()) {
                Message answer = answer(flight.from(), flight.to(), message);
                if (answer != null) {
                    send(flight.to(), flight.from(), false, Message.write(answer));
                }
            } else {
                receive(nodes.get(flight.to()), flight.from(), message);
            }
        } catch (MessageException e) {
            Ledger.check(flight.bytes().length < 200_000, "a whole message cannot be read: %s",
                    String.valueOf(e.getMessage()));
        }
    }

    private @Nullable Message answer(int from, int to, Message question) {
        Node asked = nodes.get(to);
        Life life = asked.life();
        try {
            return life.leader.answer(Objects.requireNonNull(life.keys.get("n" + from)), question);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            turn(asked);
        }
    }

    private void receive(Node node, int from, Message message) {
        if (!node.follows || node.above != from) {
            return;
        }
        Life life = node.life();
        try {
            switch (life.follower.receive(message)) {
                case Follower.Step.Apply apply -> apply(node, apply);
                case Follower.Step.StartAgain again -> startAgain(node, again);
                case Follower.Step.Held held -> hold(node, held, settling);
                case Follower.Step.Wait _ -> {
                }
            }
        } catch (StorageException e) {
            throw new AssertionError(e);
        }
    }

    private void apply(Node node, Follower.Step.Apply apply) {
        Life life = node.life();
        if (!life.log().tip().epoch().isSame(apply.epoch())) {
            CompletableFuture<LeaderEpoch> entered = life.engine.engine().writer().enter(apply.epoch());
            life.engine.turns().write();
            Ledger.check(entered.isDone(), "the epoch is not entered");
        }
        Open open = new Open(apply.updates().size());
        for (LoggedUpdate update : apply.updates()) {
            note(Event.APPLIED);
            life.remembered.add(update.origin().tag());
            life.engine.engine().hashes().offerOfLeader(QueuedUpdate.ofLeader(update, open));
            if (random.nextInt(10) == 0) {
                turn(node);
            }
            if (random.nextInt(200) == 0) {
                restart(node, random.nextBoolean());
                return;
            }
        }
        turn(node);
        // As a real node does, before it asks again: later answers may be of another leader (seed 4632).
        for (int i = 0; i < 100 && open.left > 0; i++) {
            turn(node);
        }
        life.checkIndex();
    }

    /** Counts the updates of a leader that have no outcome yet. */
    private static final class Open implements QueuedUpdate.Outcome {
        private int left;

        Open(int updates) {
            this.left = updates;
        }

        @Override
        public void stored() {
            left--;
        }

        @Override
        public void failed() {
            left--;
        }
    }

    private void startAgain(Node node, Follower.Step.StartAgain again) throws StorageException {
        note(Event.STARTED_AGAIN);
        int above = node.above;
        Point own = node.life().end();
        switch (again.ground()) {
            case EMPTY -> Ledger.check(own.revision() == 0, "node %d is not empty", node.number);
            case PROVEN -> note(Event.PROVEN);
            case PROMOTION -> Ledger.check(again.extra() >= 0, "the number of updates is unknown");
            case DISCARD -> Ledger.check(again.extra() < 0, "the number of updates is known");
        }
        long id = node.life().id;
        UpdateLog.Tip end;
        List<StoredHash> hashes = new ArrayList<>();
        Place fresh = new Place(node.number * 1_000L + 8 + ++node.ids, node.newDisk(), node.newDisk());
        try (CheckpointReader reader = CheckpointReader.open(question -> {
            if (parted[node.number][above] || random.nextInt(4) == 0) {
                throw new IOException("lost");
            }
            try {
                return Message.write(Objects
                        .requireNonNull(answer(node.number, above, Message.read(question))));
            } catch (MessageException e) {
                throw new AssertionError(e);
            }
        }, id, Duration.ZERO)) {
            end = reader.end();
            try (CopiedLog log = CopiedLog.begin(fresh.disk(), COPIED, fresh.id(), reader.start(), end, clock)) {
                reader.recent(log::add);
                log.finish();
            }
            reader.source().read(HashSource.START, (_, hash) -> hashes.add(hash),
                    new Omissions());
        } catch (StorageException e) {
            return;
        }
        if (again.ground() != Follower.Ground.EMPTY && !Follower.confirms(node.life().follower
                .receive(Objects.requireNonNull(answer(node.number, above, node.life().follower.question(0)))),
                again)) {
            return;
        }
        Ledger.check(again.ground() != Follower.Ground.PROVEN || leadsThrough(own, new Point(end.revision(),
                end.checksum())), "node %d has updates that node %d lacks, and copies it", node.number, above);
        if (node.number != PARTIAL && again.ground() != Follower.Ground.EMPTY) {
            note(Event.KEPT);
            kept.addAll(tags(own));
        }
        node.life().leader.close();
        node.place.kill();
        node.positions = new byte[0];
        try (CheckpointBuild build = CheckpointBuild.open(fresh.files(), SETTINGS, fresh.id(), end.revision(),
                (_, _) -> {})) {
            for (StoredHash hash : hashes) {
                build.add(hash);
            }
            build.checkpoint();
        }
        node.place = fresh;
        node.fenced = false;
        node.start();
        UpdateLog.Tip now = node.life().log().tip();
        Ledger.check(now.revision() == end.revision() && now.checksum() == end.checksum(),
                "the copy has another history");
    }

    /** Promotes the follower with the most updates, as an operator would, and has the others follow it. */
    private void promote() {
        Node best = null;
        for (Node node : nodes) {
            boolean fits = node.number != PARTIAL && node.number != leader
                    && node.life().log().tip().epoch().isSame(nodes.get(leader).life().log().tip().epoch());
            if (fits && (best == null
                    || node.life().log().tip().revision() > best.life().log().tip().revision())) {
                best = node;
            }
        }
        if (best == null || best.life().log().tip().revision() == 0) {
            return;
        }
        Role role = best.life().engine.engine().role();
        Role.Part before = role.part();
        UpdateLog.Tip end = best.life().log().tip();
        CompletableFuture<LeaderEpoch> promoted = best.life().engine.engine().writer().promote(0, false,
                random.nextInt(),
                _ -> {});
        best.life().engine.turns().write();
        Ledger.check(promoted.isDone(), "a promotion has no outcome");
        if (promoted.isCompletedExceptionally()) {
            // Its log is full, or it has not caught up with its epoch. The operator hears that.
            Ledger.check(role.part() == before, "a refused promotion makes node %d %s", best.number, role.part());
            Ledger.check(best.life().log().tip().epoch().isSame(end.epoch()), "a refused promotion changes the epoch");
            turn(best);
            return;
        }
        note(Event.PROMOTED);
        Node old = nodes.get(leader);
        best.follows = false;
        best.fenced = false;
        turn(best);
        Ledger.check(role.leads(), "a promoted node does not lead");
        leader = best.number;
        checkTold(best);
        for (Node node : nodes) {
            if (node == best) {
                continue;
            }
            if (node == old && random.nextInt(3) == 0) {
                // Nobody has told the old leader. It is cut off from its followers, which follow the new one.
                continue;
            }
            node.follows = true;
            node.above = node.number == PARTIAL && random.nextBoolean() ? other(best.number) : best.number;
            restart(node, random.nextBoolean());
        }
    }

    private int other(int than) {
        int number = random.nextInt(PARTIAL);
        return number == than ? (number + 1) % PARTIAL : number;
    }

    /**
     * Everything that was acknowledged as replicated is in the history of the new leader, once. After the loss of a
     * folder, another node may have it: one that refuses to follow, or has kept it aside.
     */
    private void checkTold(Node node) {
        Set<Integer> there = tags(node.life().end());
        told.forEach((tag, by) -> Ledger.check(there.contains(tag) || (forked && isKept(tag)),
                "update %d, acknowledged by node %d, is lost at the promotion of node %d", tag, by, node.number));
    }

    /** A leader whose folder is older than its promotion is fenced by its followers, until it is promoted again. */
    private void confirmLeader() {
        Node node = nodes.get(leader);
        LeaderEpoch epoch = node.life().log().tip().epoch();
        int highest = nodes.stream().mapToInt(other -> other.life().log().tip().epoch().number()).max().orElse(0);
        boolean outranked = nodes.stream().anyMatch(other -> other.life().log().tip().epoch().outranks(epoch));
        if (forked && (outranked || node.fenced)) {
            node.fenced = false;
            for (int i = 0; i < 50 && node.life().log().tip().epoch().number() <= highest; i++) {
                var _ = node.life().engine.engine().writer().promote(highest, true, random.nextInt(), _ -> {});
                turn(node);
                node.life().engine.turns().feed();
                clock.pass(2_000);
            }
            Ledger.check(node.life().log().tip().epoch().number() > highest, "the leader is not promoted again");
        }
    }

    /** Without further trouble, all nodes agree. */
    private void settle() {
        for (boolean[] line : parted) {
            Arrays.fill(line, false);
        }
        network.clear();
        settling = true;
        for (Node node : nodes) {
            if (node.number != leader && !node.follows) {
                node.follows = true;
                node.above = leader;
                restart(node, false);
            }
            if (node.follows && (node.above == PARTIAL || nodes.get(node.above).above == node.number)) {
                node.above = leader;
            }
        }
        confirmLeader();
        for (int round = 0; round < 60; round++) {
            for (Node node : nodes) {
                clock.pass(100);
                if (node.follows) {
                    Message answer = answer(node.number, node.above,
                            node.life().follower.question(0));
                    receive(node, node.above, Objects.requireNonNull(answer));
                }
                turn(node);
                node.life().engine.turns().feed();
            }
        }
        Node first = nodes.get(leader);
        checkTold(first);
        for (Node node : nodes) {
            node.life().checkIndex();
            UpdateLog.Tip tip = node.life().log().tip();
            UpdateLog.Tip wanted = first.life().log().tip();
            Ledger.check(tip.revision() == wanted.revision() && tip.checksum() == wanted.checksum(),
                    "node %d ends at %s (%s), the leader %d at %s", node.number, tip,
                    node.life().follower.state().failure(), leader, wanted);
            node.life().leader.close();
        }
    }
}
