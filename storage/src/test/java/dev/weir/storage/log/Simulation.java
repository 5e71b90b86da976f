package dev.weir.storage.log;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

import dev.weir.storage.Digest;
import dev.weir.storage.FlagValue;
import dev.weir.storage.Model;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.Update;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.KeyedHash;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.index.Match;
import dev.weir.storage.queue.PendingUpdate;
import dev.weir.storage.queue.Turns;
import dev.weir.storage.queue.UpdateWriter;

/**
 * One storage over many lives: the real queue, writer, log, feeder and index, on a disk, a clock and a backend that are
 * simulated. Everything follows from one seed. It throws {@link AssertionError} when something is not as promised.
 */
final class Simulation implements SimulatedDisk.Watcher {
    private static final int DIGESTS = 10;
    private static final long EXPIRE_SECONDS = 7_200;

    private final SplittableRandom random;
    private final Faults faults;
    private final Ledger ledger = new Ledger();
    private final SimulatedClock clock = new SimulatedClock();
    private final SimulatedDisk disk;
    private final SimulatedBackend backend;
    private final BitFlips flips;
    private LogLimits limits;
    private final double rate;
    private final Records records = new Records(SimulatedBackend.ID);
    private final Lookup lookup = new Lookup();
    private final Deque<Runnable> preparations = new ArrayDeque<>();
    private final Deque<Asked> repeatable = new ArrayDeque<>();
    private int tags;
    private Life life;

    /** What ends with the process; it begins with so many bytes, of files too whose deletion the power cut undid. */
    private record Life(UpdateLog log, HashIndex index, Turns turns, List<Asked> told, long bytes) {}

    /** A request and how it ended. */
    private final class Asked implements PendingUpdate.Outcome {
        final PendingUpdate pending;
        final List<Asked> told;
        final long millis = clock.millis();
        int stored;
        int failed;

        Asked(Origin origin, Update update, List<Asked> told) {
            this.pending = new PendingUpdate(update, origin, this);
            this.told = told;
        }

        @Override
        public void stored() {
            stored++;
            told.add(this);
        }

        @Override
        public void failed() {
            failed++;
            told.add(this);
        }
    }

    /** A storage that goes through its first start. */
    Simulation(long seed, Map<Fault, Long> counts) {
        this.random = new SplittableRandom(seed);
        this.faults = new Faults(random.split(), counts);
        this.disk = new SimulatedDisk(faults, this);
        this.backend = new SimulatedBackend(faults, ledger);
        this.limits = limits();
        this.rate = random.nextInt(4) == 0 ? 0 : Math.pow(10, -1 - 2 * random.nextDouble()) / 2;
        this.flips = new BitFlips(random.split(), counts);
        this.life = start();
    }

    private LogLimits limits() {
        int segment = 4_096 << random.nextInt(3);
        return new LogLimits(segment, (long) segment * (2 + random.nextInt(12)), random.nextInt(3) * 4_096L,
                Duration.ofMinutes(random.nextInt(3) * 30L), (long) segment * random.nextInt(4));
    }

    // ---- the disk tells ----

    @Override
    public void writes(ByteBuffer bytes, long position) {
        List<LoggedUpdate> updates = new ArrayList<>();
        int at = bytes.position() + (position == 0 ? Segment.HEADER : 0);
        for (int length = records.lengthOf(bytes, at); length > 0; length = records.lengthOf(bytes, at)) {
            updates.add(records.decode(bytes, at));
            at += length;
        }
        if (!updates.isEmpty()) {
            ledger.written(updates);
        }
    }

    @Override
    public void begun(Segment segment) {
        ledger.begun(segment.first());
    }

    // ---- lives ----

    private Life start() {
        for (int attempt = 0;; attempt++) {
            faults.rate(attempt > 3 ? 0 : rate);
            if (random.nextInt(10) == 0) {
                disk.cutAfter(random.nextInt(60));
            }
            long injected = faults.injected();
            try {
                return tryStart();
            } catch (PowerCut cut) {
                faults.note(Fault.CUT_IN_CALL);
                ledger.notRecovered();
                if (random.nextBoolean()) {
                    disk.crash();
                } else {
                    disk.kill();
                }
            } catch (LogDamagedException e) {
                throw new AssertionError("damage where none was done", e);
            } catch (StorageException e) {
                Ledger.check(faults.injected() > injected, "it does not start although nothing failed: %s", e);
                ledger.notRecovered();
                Ledger.check(disk.openFiles() == 0, "%d files stay open", disk.openFiles());
            }
            preparations.clear();
            clock.pass(random.nextInt(3_000));
        }
    }

    private Life tryStart() throws StorageException {
        HashIndex index = new HashIndex(new KeyedHash(1, 2));
        backend.load(index::load, done -> {});
        long applied = backend.revision();
        List<LoggedUpdate> replayed = new ArrayList<>();
        long oldest = clock.millis() - UpdateWriter.MAX_REPEAT_MILLIS;
        ledger.recovering();
        UpdateLog log = UpdateLog.open(disk, limits, SimulatedBackend.ID, applied, clock, preparations::add, update -> {
            replayed.add(update);
            if (update.revision() > applied) {
                index.apply(update.update());
            }
        });
        disk.cutNever();
        ledger.recovered(replayed, applied, log.durable(), disk.hasDropped());
        Turns turns = new Turns(log, index, backend, UpdateWriter.Acknowledge.DURABLE, EXPIRE_SECONDS, clock,
                clock::nanos);
        replayed.stream().filter(update -> update.millis() >= oldest).forEach(turns.writer()::remember);
        checkIndex(index);
        return new Life(log, index, turns, new ArrayList<>(), log.bytes());
    }

    /** Runs through the storage's lives, and at the end makes sure that all is well with it. */
    void run() {
        int steps = 20 + random.nextInt(80);
        for (int i = 0; i < steps; i++) {
            step();
        }
        checkEnd();
    }

    private void step() {
        if (random.nextInt(12) == 0) {
            disk.cutAfter(random.nextInt(40));
        }
        try {
            act();
            checkTold();
        } catch (PowerCut cut) {
            faults.note(Fault.CUT_IN_CALL);
            checkTold();
            die(random.nextBoolean());
        }
    }

    private void act() {
        switch (random.nextInt(24)) {
            case 0 -> die(true);
            case 1 -> die(false);
            case 2 -> stop();
            case 3 -> backend.down(random.nextBoolean());
            case 4 -> faults.rate(random.nextInt(4) == 0 ? Math.min(0.3, rate * 20) : rate);
            case 5 -> {
                boolean full = random.nextInt(3) == 0;
                disk.capacity(full ? disk.used() + random.nextInt(3 * limits.segmentBytes()) : Long.MAX_VALUE,
                        random.nextBoolean());
            }
            case 6 -> jump();
            case 7 -> {
                drain();
                clock.pass(random.nextInt(4_000_000));
            }
            case 8 -> checkIndex(life.index());
            case 9, 10, 11, 12 -> {
                clock.pass(random.nextInt(2_000));
                feed();
            }
            case 13, 14 -> prepare();
            default -> {
                clock.pass(random.nextInt(800));
                ask();
                write();
            }
        }
    }

    private void prepare() {
        for (Runnable next = preparations.poll(); next != null; next = preparations.poll()) {
            next.run();
        }
    }

    /** What is asked does not wait for hours. */
    private void drain() {
        while (life.turns().queue().size() > 0) {
            write();
        }
    }

    private void jump() {
        drain();
        clock.jump(random.nextLong(-20_000_000, 20_000_000));
        repeatable.clear();
        faults.note(Fault.CLOCK_JUMP);
    }

    private void die(boolean power) {
        faults.note(power ? Fault.CRASH : Fault.KILL);
        if (power) {
            disk.crash();
        } else {
            disk.kill();
        }
        restart();
    }

    private void stop() {
        faults.note(Fault.CLEAN_STOP);
        write();
        life.turns().end();
        if (random.nextBoolean()) {
            feed();
        }
        try {
            life.turns().reader().close();
        } catch (IOException e) {
            // As the feeder's thread takes it.
        }
        life.log().close();
        checkTold();
        Ledger.check(disk.openFiles() == 0, "%d files stay open", disk.openFiles());
        restart();
    }

    private void restart() {
        preparations.clear();
        // What the backend has may have left the log, and then nothing remembers who asked for it.
        repeatable.removeIf(
                asked -> ledger.revision(asked.pending.origin(), asked.pending.update()) <= backend.revision());
        flips.tryOn(disk, limits, backend.revision(), clock);
        if (random.nextInt(8) == 0) {
            limits = limits();
        }
        life = start();
    }

    // ---- clients ----

    private void ask() {
        int count = random.nextInt(14);
        for (int i = 0; i < count; i++) {
            if (!repeatable.isEmpty() && random.nextInt(12) == 0) {
                repeat();
            } else if (random.nextInt(8) == 0) {
                Update refresh = new Update.Refresh(digest(), clock.millis() / 1000);
                offer(new PendingUpdate(refresh, Origin.STORAGE, PendingUpdate.Outcome.NOBODY));
            } else {
                Asked asked = new Asked(origin(), update(), life.told());
                if (offer(asked.pending)) {
                    repeatable.addLast(asked);
                }
            }
        }
        while (repeatable.size() > 20) {
            repeatable.removeFirst();
        }
    }

    private boolean offer(PendingUpdate pending) {
        return life.turns().queue().offer(pending);
    }

    /** The client did not hear the answer, and asks the same again. */
    private void repeat() {
        Asked before = repeatable.removeFirst();
        if (clock.millis() - before.millis > UpdateWriter.MAX_REPEAT_MILLIS - 5_000) {
            return;
        }
        faults.note(Fault.REPEATED_REQUEST);
        offer(new Asked(before.pending.origin(), before.pending.update(), life.told()).pending);
    }

    private Digest digest() {
        return Samples.digest(random.nextInt(DIGESTS));
    }

    private Update update() {
        int n = random.nextInt(DIGESTS);
        int flag = 1 + random.nextInt(4);
        return switch (random.nextInt(10)) {
            case 0 -> new Update.Delete(Samples.digest(n), flag);
            case 1 -> new Update.DeleteAll(Samples.digest(n));
            default -> Samples.write(n, flag, random.nextInt(-5, 20), clock.millis() / 1000,
                    random.nextBoolean() ? null : Samples.signature(n));
        };
    }

    private Origin origin() {
        byte[] address = new byte[random.nextInt(4) == 0 ? 16 : 4];
        address[0] = (byte) (1 + random.nextInt(100));
        byte[] key = random.nextBoolean() ? null : new byte[Origin.KEY_BYTES];
        try {
            return new Origin(InetAddress.getByAddress(address), random.nextInt(65_536), ++tags, key);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    // ---- turns ----

    private void write() {
        life.turns().write();
        follow();
    }

    /** What the log calls durable counts. */
    private void follow() {
        if (life.log().durable() > ledger.confirmed()) {
            ledger.durable(life.log().durable());
        }
    }

    private void feed() {
        long injected = faults.injected();
        boolean done = life.turns().feed();
        Ledger.check(done || faults.injected() > injected, "the feeder stands although nothing failed: %s",
                life.turns().failure());
        Ledger.check(done || !life.turns().failure().contains("damage"), "%s", life.turns().failure());
        Ledger.check(!done || backend.revision() == life.log().durable(), "%d of %d are applied", backend.revision(),
                life.log().durable());
    }

    /** Whoever was told that an update is stored was told the truth, once. */
    private void checkTold() {
        follow();
        Ledger.check(life.log().durable() == ledger.confirmed(), "the log is at %d, %d are confirmed",
                life.log().durable(), ledger.confirmed());
        for (Asked asked : life.told()) {
            int times = ledger.times(asked.pending.origin(), asked.pending.update());
            Ledger.check(asked.stored + asked.failed == 1, "%s was answered %d times", asked.pending,
                    asked.stored + asked.failed);
            if (asked.stored == 1) {
                Ledger.check(times == 1, "%s %s was stored %d times", asked.pending.update(),
                        asked.pending.origin().tag(), times);
            } else {
                faults.note(Fault.REFUSED_UPDATE);
            }
        }
        life.told().clear();
        if (life.log().bytes() > limits.maxBytes() - limits.segmentBytes()) {
            faults.note(Fault.HIGH_WATER);
        }
        Ledger.check(life.log().bytes() <= Math.max(limits.maxBytes(), life.bytes()), "the log has %d bytes",
                life.log().bytes());
    }

    private void checkIndex(HashIndex index) {
        Model model = ledger.model();
        Ledger.check(index.size() == model.size(), "%d hashes in the index, %d there should be", index.size(),
                model.size());
        for (int n = 0; n < DIGESTS; n++) {
            Optional<List<FlagValue>> wanted = model.find(Samples.digest(n), null, 0).map(Model.Answer::flags);
            Optional<List<FlagValue>> found = find(index, n);
            Ledger.check(found.equals(wanted), "hash %d is %s, it should be %s", n, found, wanted);
        }
    }

    private Optional<List<FlagValue>> find(HashIndex index, int n) {
        Samples.digest(n).copyTo(lookup.digest(), 0);
        lookup.hasShingles(false);
        if (!index.find(lookup, 0)) {
            return Optional.empty();
        }
        Match match = lookup.match();
        List<FlagValue> flags = new ArrayList<>();
        for (int i = 0; i < match.flagCount(); i++) {
            flags.add(new FlagValue(match.flag(i), match.value(i), match.time(i)));
        }
        return Optional.of(flags);
    }

    /** In a world without faults everything works again, and the backend ends with exactly what counts. */
    private void checkEnd() {
        faults.rate(0);
        disk.cutNever();
        disk.capacity(Long.MAX_VALUE, true);
        backend.down(false);
        for (int round = 0; round < 2; round++) {
            clock.pass(5_000);
            feed();
            prepare();
            // What waits since before may be refused once more for a moment; what is asked now must be stored.
            drain();
            checkTold();
            feed();
            clock.pass(5_000);
            Asked asked = new Asked(origin(), update(), life.told());
            Ledger.check(offer(asked.pending), "the queue is full");
            write();
            Ledger.check(asked.stored == 1, "an update is refused although nothing fails");
            checkTold();
            checkIndex(life.index());
            feed();
            Ledger.check(backend.revision() == ledger.confirmed(), "%d of %d are applied", backend.revision(),
                    ledger.confirmed());
            Ledger.check(backend.model().all().equals(ledger.model().all()), "the backend has something else");
            if (round == 0) {
                stop();
                faults.rate(0);
                disk.cutNever();
            }
        }
    }
}
