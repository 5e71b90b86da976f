package dev.weir.storage.push;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

import dev.weir.storage.DataFolder;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.queue.UpdateWriter;
import org.jspecify.annotations.Nullable;

/**
 * A master and its slave on two folders, with restarts, lost requests and answers, and folders that are emptied,
 * restored from older copies, or have a file damaged or deleted. Each update of the master is a hash of its own with
 * the value 1, so that a slave shows with a 2 what counted twice.
 */
final class PushSimulation {
    private static final int STEPS = 30;
    private static final int LAST_ATTEMPTS = 50;
    private static final EngineConfig CONFIG = EngineConfig.of(Duration.ZERO, Duration.ofSeconds(60),
            UpdateWriter.Acknowledge.DURABLE, new LogLimits(1 << 15, 1 << 20, 0, Duration.ofDays(1), 1 << 18,
                    LogLimits.REPEATS),
            InstantSource.system());

    private final SplittableRandom random;
    private final Map<Event, Long> events;
    private final Side master;
    private final Side slave;
    /** Whether both sides have lost their notes, so that no one can know what the slave lacks. */
    private boolean masterForgot;
    private boolean slaveForgot;
    private boolean stopped;
    private int next;

    /** What may happen. */
    enum Event {
        WRITTEN,
        TAKEN,
        REQUEST_LOST,
        ANSWER_LOST,
        MASTER_RESTARTED,
        SLAVE_RESTARTED,
        MASTER_RESTORED,
        SLAVE_RESTORED,
        MASTER_EMPTIED,
        SLAVE_EMPTIED,
        MASTER_FLIPPED,
        SLAVE_FLIPPED,
        MASTER_FILE_GONE,
        SLAVE_FILE_GONE,
        WENT_ON,
        STOPPED,
        COMPLETE
    }

    /** One of the two. */
    private final class Side {
        private final Path place;
        private final Path copy;
        private final PushSettings settings;
        private final PushTransport transport;
        private @Nullable PushedNode node;
        private Set<Integer> written = new HashSet<>();
        private Set<Integer> writtenInCopy = new HashSet<>();
        /** The storages of which it has taken batches. */
        private Set<Long> known = new HashSet<>();
        private Set<Long> knownInCopy = new HashSet<>();

        Side(Path folder, PushSettings settings, PushTransport transport) {
            this.place = folder.resolve("now");
            this.copy = folder.resolve("copy");
            this.settings = settings;
            this.transport = transport;
        }

        PushedNode node() {
            PushedNode now = node;
            if (now == null) {
                throw new IllegalStateException("it does not run");
            }
            return now;
        }

        void open() throws Exception {
            node = PushedNode.open(place, settings, transport, CONFIG);
            node.push.intake().ifPresent(PushIntake::recover);
        }

        void close() {
            if (node != null) {
                node.close();
                node = null;
            }
        }

        void keep() throws IOException {
            CopiedFolder.delete(copy);
            CopiedFolder.copy(place, copy);
            writtenInCopy = new HashSet<>(written);
            knownInCopy = new HashSet<>(known);
        }

        boolean restore() throws IOException {
            if (!Files.exists(copy)) {
                return false;
            }
            CopiedFolder.replace(place, copy);
            written = new HashSet<>(writtenInCopy);
            known = new HashSet<>(knownInCopy);
            return true;
        }

        void empty() throws IOException {
            CopiedFolder.delete(place);
            written.clear();
            known.clear();
        }

        boolean flip() throws IOException {
            Path file = place.resolve(DataFolder.PUSHES);
            if (!Files.exists(file)) {
                return false;
            }
            byte[] bytes = Files.readAllBytes(file);
            int at = random.nextInt(bytes.length);
            bytes[at] ^= (byte) (1 << random.nextInt(8));
            Files.write(file, bytes);
            return true;
        }

        boolean delete() throws IOException {
            return Files.deleteIfExists(place.resolve(DataFolder.PUSHES));
        }
    }

    PushSimulation(long seed, Path folder, Map<Event, Long> events) {
        this.random = new SplittableRandom(seed);
        this.events = events;
        this.slave = new Side(folder.resolve("slave"), PushedNode.slave(Map.of()), (_, _, _, _) -> {
            throw new AssertionError("nothing is sent");
        });
        this.master = new Side(folder.resolve("master"), PushedNode.master("s"), this::carry);
    }

    private PushTransport.Reply carry(PushSettings.Slave to, PushSettings.Host host, byte[] body, BatchSpan span)
            throws IOException {
        int luck = random.nextInt(5);
        if (luck == 0) {
            note(Event.REQUEST_LOST);
            throw new IOException("the request is lost");
        }
        PushTransport.Reply reply = slave.node().deliver(to.name(), body, span);
        if (reply.status() == 200) {
            slave.known.add(span.to().storage());
        }
        if (luck == 1) {
            note(Event.ANSWER_LOST);
            throw new IOException("the answer is lost");
        }
        return reply;
    }

    private void note(Event event) {
        events.merge(event, 1L, Long::sum);
    }

    void run() throws Exception {
        try {
            slave.open();
            master.open();
            for (int i = 0; i < STEPS && !stopped; i++) {
                step();
            }
            if (!stopped) {
                // A master without anything to send does not hear that its slave was restored (seed 111).
                write();
            }
            for (int i = 0; i < LAST_ATTEMPTS && !stopped && !isDone(); i++) {
                attempt();
            }
            check();
        } finally {
            master.close();
            slave.close();
        }
    }

    private void step() throws Exception {
        switch (random.nextInt(10)) {
            case 0, 1, 2 -> {
                for (int i = random.nextInt(4); i >= 0; i--) {
                    write();
                }
            }
            case 3, 4, 5, 6 -> attempt();
            case 7 -> restart(master, true);
            case 8 -> restart(slave, false);
            default -> {
                Side side = random.nextBoolean() ? master : slave;
                side.close();
                side.keep();
                side.open();
            }
        }
    }

    private void write() {
        master.node().write(PushedNode.digest(next), 1, 1);
        master.written.add(next);
        next++;
        note(Event.WRITTEN);
    }

    private void restart(Side side, boolean isMaster) throws Exception {
        note(isMaster ? Event.MASTER_RESTARTED : Event.SLAVE_RESTARTED);
        long storage = master.node().engine.log().storageId();
        side.close();
        switch (random.nextInt(10)) {
            case 0, 5, 6 -> {
                if (side.restore()) {
                    note(isMaster ? Event.MASTER_RESTORED : Event.SLAVE_RESTORED);
                    // As in forget: it is from before the first batch of this storage (seed 1613).
                    slaveForgot |= !isMaster && !slave.known.contains(storage);
                }
            }
            case 1 -> {
                side.empty();
                forget(isMaster, storage);
                note(isMaster ? Event.MASTER_EMPTIED : Event.SLAVE_EMPTIED);
            }
            case 2, 3 -> {
                if (side.flip()) {
                    forget(isMaster, storage);
                    note(isMaster ? Event.MASTER_FLIPPED : Event.SLAVE_FLIPPED);
                }
            }
            case 4 -> {
                if (side.delete()) {
                    forget(isMaster, storage);
                    note(isMaster ? Event.MASTER_FILE_GONE : Event.SLAVE_FILE_GONE);
                }
            }
            default -> {
                // A usual restart.
            }
        }
        side.open();
    }

    private void forget(boolean isMaster, long storage) {
        masterForgot |= isMaster;
        // A slave that has taken nothing of this storage yet has nothing to tell (seed 372).
        slaveForgot |= !isMaster || !slave.known.contains(storage);
    }

    private void attempt() throws Exception {
        long before = taken();
        SlaveFeed feed = master.node().push.feeds().getFirst();
        feed.attempt();
        if (taken() > before) {
            note(Event.TAKEN);
        }
        if (feed.figures().failure().contains("goes on after update")) {
            note(Event.WENT_ON);
        }
        stopped = feed.stopped().isPresent();
    }

    private long taken() {
        return master.node().push.status().slaves().getFirst().batches();
    }

    private boolean isDone() {
        SlaveFeed feed = master.node().push.feeds().getFirst();
        return !feed.asks() && feed.figures().behind() == 0;
    }

    private void check() {
        List<String> wrong = new ArrayList<>();
        Map<Integer, Long> found = new HashMap<>();
        for (int i = 0; i < next; i++) {
            long value = slave.node().flags(PushedNode.digest(i)).getOrDefault(1, 0L);
            found.put(i, value);
            if (value > 1) {
                wrong.add("update " + i + " counts " + value + " times");
            }
        }
        if (stopped) {
            note(Event.STOPPED);
        } else if (!isDone()) {
            wrong.add("the feed neither ends nor stops: " + master.node().push.status());
        } else if (!(masterForgot && slaveForgot)) {
            note(Event.COMPLETE);
            for (int written : master.written) {
                if (found.getOrDefault(written, 0L) == 0) {
                    wrong.add("update " + written + " is missing");
                }
            }
        }
        if (!wrong.isEmpty()) {
            throw new AssertionError(wrong.toString());
        }
    }
}
