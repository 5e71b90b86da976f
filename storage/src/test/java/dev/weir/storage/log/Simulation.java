package dev.weir.storage.log;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.KeyedHash;
import dev.weir.model.Update;
import dev.weir.storage.Model;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.engine.EngineTurns;
import dev.weir.storage.engine.StorePlace;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.IndexMatch;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.queue.RecentRequests;
import dev.weir.storage.queue.Turns;
import dev.weir.storage.queue.UpdateWriter;
import dev.weir.storage.store.StoreSettings;
import org.jspecify.annotations.Nullable;

/**
 * One storage over many lives: the engine as it is shipped, with its recovery and its stop, on a disk, a clock and a
 * backend that are simulated. Everything follows from one seed. It throws {@link AssertionError} when something is not
 * as promised.
 */
final class Simulation implements SimulatedDisk.Watcher {
    private static final int DIGESTS = 10;
    private static final long EXPIRE_SECONDS = 7_200;

    /** By so much a time of day may be wrong that the storage believes at once: an eighth of that. */
    private static final long BELIEVED_MILLIS = EXPIRE_SECONDS * 1_000 / 8;

    /** Restarts take some time of which a storage that doubts the clock knows nothing. */
    private static final long UNKNOWN_MILLIS = 120_000;

    private final SplittableRandom random;
    private final Faults faults;
    private final Ledger ledger = new Ledger();
    private final SimulatedClock clock = new SimulatedClock();
    private final SimulatedDisk disk;
    private final SimulatedBackend backend;

    /** The disk of the store; null if the hashes are in the backend. */
    private final @Nullable SimulatedDisk storeDisk;

    /** The last update of which the store said that it has it. */
    private long checkpointed;

    /** Whether the store ever had updates that a later power cut could take from the log. */
    private boolean aheadOfLog;

    /** Whether updates go on while an image is written. */
    private boolean goingOn;
    private final SimulatedStore store;
    private final BitFlips flips;
    private final BadSectors sectors;
    private final UpdateWriter.Acknowledge acknowledge;
    private LogLimits limits;
    private final double rate;
    private final Records records = new Records(SimulatedBackend.ID);
    private final Lookup lookup = new Lookup();
    private final Deque<Runnable> preparations = new ArrayDeque<>();
    private final Deque<Asked> repeatable = new ArrayDeque<>();
    private int tags;
    private int jumps;

    /** How often the times in the log may have gone ahead by more than time did. */
    private int leaps;

    /** When, in true time, a flag was last written by an update that counts. */
    private final Map<String, Long> changed = new HashMap<>();

    /** When that was, for everything: what was refused may be found and count after a long time. */
    private final Map<Update, Long> asked = new HashMap<>();

    /** While the log was read from outside. */
    private boolean writerDied;
    private Life life;

    /** What ends with the process; it begins with so many bytes, of files too whose deletion the power cut undid. */
    private record Life(EngineTurns engine, List<Asked> told, long bytes) {
        UpdateLog log() {
            return engine.log();
        }

        Turns turns() {
            return engine.turns();
        }
    }

    /** A request and how it ended. */
    private final class Asked implements QueuedUpdate.Outcome {
        final QueuedUpdate pending;
        final List<Asked> told;
        final long nanos = clock.nanos();
        final int leapsBefore = leaps;
        int stored;
        int failed;

        Asked(UpdateOrigin origin, Update update, List<Asked> told) {
            this.pending = new QueuedUpdate(update, origin, this);
            this.told = told;
            asked.merge(update, clock.trueMillis(), Math::min);
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

    /** A storage that goes through its first start, with its hashes in a backend or in a store. */
    Simulation(long seed, Map<Fault, Long> counts, boolean hasStore) {
        this.random = new SplittableRandom(seed);
        this.faults = new Faults(random.split(), counts);
        this.disk = new SimulatedDisk(faults, this);
        this.backend = new SimulatedBackend(faults, ledger);
        this.store = new SimulatedStore(backend, disk, faults);
        this.storeDisk = hasStore ? new SimulatedDisk(faults, SimulatedDisk.Watcher.NONE) : null;
        if (storeDisk != null) {
            StoreSettings settings = new StoreSettings(random.nextInt(344, 1_000), 48, 1 + random.nextInt(6),
                    random.nextInt(30_000), Duration.ofMinutes(random.nextInt(60)));
            store.keepIn(new StorePlace(new StoreDisk(storeDisk, this::goOnBesideImage), settings,
                    () -> SimulatedBackend.ID));
        }
        this.limits = limits();
        this.rate = random.nextInt(4) == 0 ? 0 : Math.pow(10, -1 - 2 * random.nextDouble()) / 2;
        this.flips = new BitFlips(random.split(), counts);
        this.sectors = new BadSectors(random.split(), counts);
        this.acknowledge = random.nextInt(3) == 0
                ? UpdateWriter.Acknowledge.QUEUED
                : UpdateWriter.Acknowledge.DURABLE;
        ledger.watch(this::checkAge);
        this.life = start();
    }

    private static String key(Digest digest, int flag) {
        return digest + " " + flag;
    }

    /** Whatever was done to the time of day: so old, in true time, is nothing that is certainly young. */
    private long youngMillis() {
        return EXPIRE_SECONDS * 1_000 / 2 - jumps * BELIEVED_MILLIS - UNKNOWN_MILLIS;
    }

    /** What was written again in the same batch stays. */
    private boolean removes(Update.Expire expire) {
        return ledger.model().find(expire.digest(), null, 0).map(Model.Answer::flags).orElse(List.of()).stream()
                .anyMatch(flag -> flag.flag() == expire.flag() && flag.time() < expire.before());
    }

    /** A clock that went ahead is believed after as long a time: so half of the age has gone by at least. */
    private void checkAge(Update update) {
        if (update instanceof Update.Write write) {
            changed.put(key(write.digest(), write.flag()), asked.getOrDefault(write, clock.trueMillis()));
        } else if (update instanceof Update.Expire expire && removes(expire)) {
            faults.note(Fault.EXPIRED);
            Long since = changed.get(key(expire.digest(), expire.flag()));
            Ledger.check(since == null || clock.trueMillis() - since >= youngMillis(),
                    "%s expires after %d s", expire, since == null ? 0 : (clock.trueMillis() - since) / 1_000);
        }
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
        if (position == 0) {
            ledger.content(updates);
        } else if (!updates.isEmpty()) {
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
                anyDisk().cutAfter(random.nextInt(60));
            }
            long injected = faults.injected();
            long readErrors = faults.count(Fault.READ_ERROR);
            try {
                return tryStart();
            } catch (PowerCut cut) {
                faults.note(Fault.CUT_IN_CALL);
                ledger.notRecovered();
                end(random.nextBoolean());
            } catch (LogDamagedException e) {
                // A read that fails twice is one that fails.
                Ledger.check(faults.count(Fault.READ_ERROR) > readErrors, "damage where none was done: %s", e);
                ledger.notRecovered();
            } catch (StorageException e) {
                Ledger.check(faults.injected() > injected, "it does not start although nothing failed: %s", e);
                ledger.notRecovered();
                checkNoOpenFiles();
            }
            preparations.clear();
            clock.pass(random.nextInt(3_000));
        }
    }

    private void checkNoOpenFiles() {
        Ledger.check(disk.openFiles() == 0, "%d files stay open", disk.openFiles());
        Ledger.check(storeDisk == null || storeDisk.openFiles() == 0, "files of the store stay open");
    }

    /** One of the disks on which the process can end. */
    private SimulatedDisk anyDisk() {
        return storeDisk == null || random.nextBoolean() ? disk : storeDisk;
    }

    private void cutNever() {
        disk.cutNever();
        if (storeDisk != null) {
            storeDisk.cutNever();
        }
    }

    /** The update up to which the log is not needed. */
    private long applied() {
        return storeDisk == null ? backend.revision() : checkpointed;
    }

    private Life tryStart() throws StorageException {
        long readErrors = faults.count(Fault.READ_ERROR);
        List<LoggedUpdate> replayed = new ArrayList<>();
        EngineConfig config = new EngineConfig(Duration.ofSeconds(EXPIRE_SECONDS), Duration.ofSeconds(1), acknowledge,
                limits, clock, clock::nanos, () -> new KeyedHash(1, 2), preparations::add);
        ledger.recovering();
        EngineTurns engine = EngineTurns.open(config, store, replayed::add, _ -> {
            if (faults.happens(Fault.NO_MEMORY)) {
                throw new OutOfMemoryError("simulated");
            }
        });
        cutNever();
        if (!engine.damage().isEmpty()) {
            // A slot that cannot be read three times is one that fails. The operator looks at the disk, and starts again.
            Ledger.check(storeDisk != null && faults.count(Fault.READ_ERROR) - readErrors >= 3,
                    "damage where none was done: %s", engine.damage());
            throw new PowerCut();
        }
        long applied = storeDisk == null ? backend.revision() : engine.log().applied();
        // A checkpoint may count although writing it failed.
        aheadOfLog |= storeDisk != null && applied > checkpointed;
        checkpointed = applied;
        forgetOldRequests();
        long counted = ledger.confirmed();
        ledger.recovered(replayed, applied, engine.log().durable(), disk.hasDropped());
        if (ledger.confirmed() < counted) {
            // What was written last may be what was lost.
            changed.clear();
            if (acknowledge == UpdateWriter.Acknowledge.QUEUED) {
                faults.note(Fault.QUEUED_AND_LOST);
            }
        }
        checkIndex(engine.index());
        return new Life(engine, new ArrayList<>(), engine.log().bytes());
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
            anyDisk().cutAfter(random.nextInt(40));
        }
        try {
            actAndCheck();
        } catch (PowerCut cut) {
            faults.note(Fault.CUT_IN_CALL);
            checkTold();
            die(random.nextBoolean());
        }
    }

    private void actAndCheck() {
        try {
            act();
            checkTold();
        } catch (OutOfMemoryError e) {
            // The writer is gone; the others end as they always do.
            checkTold();
            leave();
        }
    }

    private void act() {
        switch (random.nextInt(26)) {
            case 0 -> die(true);
            case 1 -> die(false);
            case 2 -> stop();
            case 3 -> backend.down(random.nextBoolean());
            case 4 -> faults.rate(random.nextInt(4) == 0 ? Math.min(0.3, rate * 20) : rate);
            case 5 -> {
                boolean full = random.nextInt(3) == 0;
                SimulatedDisk some = anyDisk();
                some.capacity(full ? some.used() + random.nextInt(3 * limits.segmentBytes()) : Long.MAX_VALUE,
                        random.nextBoolean());
            }
            case 6 -> jump();
            case 7 -> {
                drain();
                clock.pass(random.nextInt(4_000_000));
            }
            case 8 -> {
                checkIndex(life.engine().index());
                checkYoung();
            }
            case 9, 10, 11, 12 -> {
                clock.pass(random.nextInt(2_000));
                feed(storeDisk != null && random.nextBoolean());
                if (writerDied) {
                    throw new OutOfMemoryError("simulated");
                }
            }
            case 13, 14 -> prepare();
            case 15, 16 -> {
                readFromOutside();
                if (writerDied) {
                    throw new OutOfMemoryError("simulated");
                }
            }
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
        while (life.engine().queued() > 0) {
            write();
        }
    }

    private void jump() {
        drain();
        setClock();
    }

    /** By some minutes, hours or years. */
    private void setClock() {
        long by = Math.round(Math.exp(random.nextDouble(Math.log(1e5), Math.log(1e12))));
        clock.jump(random.nextBoolean() ? by : -by);
        jumps++;
        leaps++;
        faults.note(Fault.CLOCK_JUMP);
    }

    private void die(boolean power) {
        faults.note(power ? Fault.CRASH : Fault.KILL);
        end(power);
        restart();
    }

    private void end(boolean power) {
        if (power) {
            disk.crash();
            if (storeDisk != null) {
                storeDisk.crash();
            }
            ledger.crashed();
        } else {
            disk.kill();
            if (storeDisk != null) {
                storeDisk.kill();
            }
            if (!disk.hasDropped()) {
                ledger.killed();
            }
        }
    }

    private void stop() {
        faults.note(Fault.CLEAN_STOP);
        write();
        life.turns().end();
        leave();
    }

    /** What a stop does when the writer has ended, in whatever way. */
    private void leave() {
        if (random.nextBoolean()) {
            feed(false);
        }
        try {
            life.turns().endFollowing();
        } catch (IOException e) {
            // As the feeder's thread takes it.
        }
        life.engine().close();
        checkTold();
        checkNoOpenFiles();
        restart();
    }

    private void restart() {
        preparations.clear();
        // The process may have ended just after it said so.
        checkpointed = Math.max(checkpointed, life.log().applied());
        aheadOfLog |= storeDisk != null && checkpointed > life.log().confirmed();
        forgetOldRequests();
        if (!aheadOfLog) {
            // These look only at what is before the first gap of the log.
            flips.tryOn(disk, limits, applied(), clock);
            sectors.tryOn(disk, limits, applied(), clock);
        }
        if (random.nextInt(8) == 0) {
            limits = limits();
        }
        if (random.nextInt(12) == 0) {
            setClock();
            faults.note(Fault.CLOCK_JUMP_BETWEEN);
        }
        life = start();
    }

    /** What the backend has may have left the log, and then nothing remembers who asked for it. */
    private void forgetOldRequests() {
        repeatable.removeIf(asked -> ledger.revision(asked.pending.origin(), asked.pending.update()) <= applied());
    }

    // ---- clients ----

    private void ask() {
        int count = random.nextInt(14);
        for (int i = 0; i < count; i++) {
            if (!repeatable.isEmpty() && random.nextInt(12) == 0) {
                repeat();
            } else if (random.nextInt(8) == 0) {
                Update refresh = new Update.Refresh(digest(), laterSeconds());
                offer(new QueuedUpdate(refresh, UpdateOrigin.STORAGE, QueuedUpdate.Outcome.NOBODY));
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

    private boolean offer(QueuedUpdate pending) {
        return life.engine().offer(pending);
    }

    /** The client did not hear the answer, and asks the same again. */
    private void repeat() {
        Asked before = repeatable.removeFirst();
        // After a restart, each leap looks like a pause.
        long longest = RecentRequests.KEEP_MILLIS - 2_000
                - (leaps - before.leapsBefore) * RecentRequests.KEEP_MILLIS / 3;
        if ((clock.nanos() - before.nanos) / 1_000_000 > longest) {
            return;
        }
        if (before.leapsBefore != leaps && ledger.times(before.pending.origin(), before.pending.update()) == 0) {
            // What comes for the first time gets the time at which it comes.
            return;
        }
        faults.note(before.leapsBefore == leaps ? Fault.REPEATED_REQUEST : Fault.REPEATED_AFTER_JUMP);
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
            default -> Samples.write(n, flag, random.nextInt(-5, 20), laterSeconds(),
                    random.nextBoolean() ? null : Samples.signature(n));
        };
    }

    private long laterSeconds() {
        return life.engine().clock().later(clock.millis()) / 1000;
    }

    private UpdateOrigin origin() {
        byte[] address = new byte[random.nextInt(4) == 0 ? 16 : 4];
        address[0] = (byte) (1 + random.nextInt(100));
        byte[] key = random.nextBoolean() ? null : new byte[UpdateOrigin.KEY_BYTES];
        try {
            return new UpdateOrigin(InetAddress.getByAddress(address), random.nextInt(65_536), ++tags, key);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    // ---- turns ----

    private void write() {
        boolean doubted = !life.engine().clock().doubt().isEmpty();
        life.turns().write();
        checkTold();
        life.engine().saveTime();
        if (doubted && life.engine().clock().doubt().isEmpty()) {
            leaps++;
        }
    }

    /** What the log calls handed over counts, and what it calls durable stays. */
    private void follow() {
        if (life.log().handed() > ledger.confirmed()) {
            ledger.handed(life.log().handed());
        }
        ledger.durable(life.log().durable());
    }

    /**
     * As another process reads the log for a copy, while this one goes on: all that was durable when it began, nothing
     * that is not, and no damage.
     */
    private void readFromOutside() {
        writerDied = false;
        boolean[] goesOn = {ForcedMark.read(disk, SimulatedBackend.ID).state() == ForcedMark.State.LIVE};
        boolean[] wentOn = {false};
        long after;
        long durable = life.log().durable();
        boolean outdated = life.log().isMarkOutdated();
        List<LoggedUpdate> read = new ArrayList<>();
        OutsideDisk outside = new OutsideDisk(disk, faults, () -> {
            if (goesOn[0] && random.nextInt(4) == 0) {
                wentOn[0] = true;
                goOn();
            }
        });
        boolean live;
        List<LogDamage> damages;
        try (LogHistory log = LogHistory.open(outside, true, SimulatedBackend.ID)) {
            live = log.isLive();
            goesOn[0] &= live;
            // The log first, the database then: what has left the log meanwhile is there.
            after = random.nextBoolean() ? applied() : -1;
            damages = log.read(after, read::add);
        } catch (StorageException e) {
            throw new AssertionError("the log cannot be read from outside", e);
        }
        if (wentOn[0] && !live) {
            // The mark could not be written just then, which the log of the program says.
            return;
        }
        if (wentOn[0]) {
            faults.note(Fault.READ_WHILE_WRITTEN);
        }
        if (outdated) {
            // The log warned that readers may miss the end, until it can write the mark or delete it.
            return;
        }
        // A disk may have forgotten what the backend has, or which old segments were deleted: that concerns the history
        // only.
        boolean forgotten = after < 0 && (disk.isForgetful() || aheadOfLog);
        long exactBehind = forgotten ? applied() : after;
        Ledger.check(damages.stream().allMatch(damage -> damage.last() <= exactBehind),
                "damage where none was done: %s", damages);
        follow();
        long reached = read.isEmpty() ? after : read.getLast().revision();
        Ledger.check(forgotten || reached >= durable || (read.isEmpty() && applied() >= durable),
                "%d was read from outside, %d were durable", reached, durable);
        for (LoggedUpdate update : read) {
            // Without a mark, what was tried and refused may be among them.
            if (update.revision() > exactBehind && (live || update.revision() <= durable)) {
                Ledger.check(update.revision() <= life.log().durable()
                        && update.equals(ledger.update(update.revision())), "%s was read from outside", update);
            }
        }
    }

    private void goOn() {
        if (writerDied) {
            return;
        }
        clock.pass(random.nextInt(300));
        ask();
        try {
            write();
        } catch (OutOfMemoryError e) {
            // The reader is another process, and goes on.
            writerDied = true;
            return;
        } catch (PowerCut e) {
            // The reader closes its files on its way out, and must not meet a process that goes on.
            writerDied = true;
            throw e;
        }
        if (random.nextInt(4) == 0) {
            feed(false);
            prepare();
        }
    }

    private void goOnBesideImage() {
        if (goingOn && !writerDied && random.nextInt(3) > 0) {
            faults.note(Fault.UPDATES_BESIDE_IMAGE);
            clock.pass(random.nextInt(300));
            ask();
            try {
                write();
            } catch (OutOfMemoryError e) {
                // That is the end of another thread.
                writerDied = true;
            }
        }
    }

    /** What follows the log does what is due, while updates go on or not. */
    private void feed(boolean goesOn) {
        feed(goesOn, storeDisk != null && random.nextInt(4) > 0);
    }

    private void feed(boolean goesOn, boolean asks) {
        long injected = faults.injected();
        long readErrors = faults.count(Fault.READ_ERROR);
        long wanted = life.engine().index().revision();
        boolean asked = storeDisk != null && asks;
        if (asked) {
            life.turns().askForSync();
        }
        boolean done;
        goingOn = goesOn;
        writerDied &= !goesOn;
        try {
            done = life.turns().feed();
        } finally {
            goingOn = false;
        }
        if (storeDisk != null) {
            follow();
            checkpointed = life.log().applied();
            aheadOfLog |= checkpointed > life.log().confirmed();
            ledger.applied(checkpointed);
            Ledger.check(done || faults.injected() > injected, "no checkpoint although nothing failed: %s",
                    life.turns().failure());
            boolean sure = acknowledge == UpdateWriter.Acknowledge.DURABLE
                    && life.log().confirmed() == life.log().durable();
            Ledger.check(!asked || !done || !sure || checkpointed >= wanted, "the store has %d of %d", checkpointed,
                    wanted);
            return;
        }
        Ledger.check(done || faults.injected() > injected, "the feeder stands although nothing failed: %s",
                life.turns().failure());
        Ledger.check(done || faults.count(Fault.READ_ERROR) > readErrors || !life.turns().failure().contains("damage"),
                "%s", life.turns().failure());
        Ledger.check(!done || backend.revision() == life.log().durable(), "%d of %d are applied", backend.revision(),
                life.log().durable());
    }

    /** Each client was told once whether its update is stored, and truthfully. */
    private void checkTold() {
        follow();
        Ledger.check(life.log().handed() == ledger.confirmed(), "the log is at %d, %d are confirmed",
                life.log().handed(), ledger.confirmed());
        for (Asked asked : life.told()) {
            int times = ledger.times(asked.pending.origin(), asked.pending.update());
            Ledger.check(asked.stored + asked.failed == 1, "%s was answered %d times", asked.pending,
                    asked.stored + asked.failed);
            if (asked.stored == 1) {
                Ledger.check(times == 1, "%s %s was stored %d times", asked.pending.update(),
                        asked.pending.origin().tag(), times);
            } else {
                Ledger.check(times == 0, "%s %s was refused, and stored %d times", asked.pending.update(),
                        asked.pending.origin().tag(), times);
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
            Optional<List<FlagValue>> found = find(index, n, 0);
            Ledger.check(found.equals(wanted), "hash %d is %s, it should be %s", n, found, wanted);
        }
    }

    /** What is certainly young is seen by checks, whatever the time of day. */
    private void checkYoung() {
        long oldest = life.engine().clock().millis() / 1000 - EXPIRE_SECONDS;
        for (int n = 0; n < DIGESTS; n++) {
            List<FlagValue> seen = find(life.engine().index(), n, oldest).orElse(List.of());
            for (FlagValue flag : ledger.model().find(Samples.digest(n), null, 0).map(Model.Answer::flags)
                    .orElse(List.of())) {
                Long since = changed.get(key(Samples.digest(n), flag.flag()));
                Ledger.check(since == null || clock.trueMillis() - since >= youngMillis() || seen.contains(flag),
                        "hash %d hides %s", n, flag);
            }
        }
    }

    private Optional<List<FlagValue>> find(HashIndex index, int n, long oldest) {
        Samples.digest(n).copyTo(lookup.digest(), 0);
        lookup.hasShingles(false);
        if (!index.find(lookup, oldest)) {
            return Optional.empty();
        }
        IndexMatch match = lookup.match();
        List<FlagValue> flags = new ArrayList<>();
        for (int i = 0; i < match.flagCount(); i++) {
            flags.add(new FlagValue(match.flag(i), match.value(i), match.time(i)));
        }
        return Optional.of(flags);
    }

    /** In a world without faults everything works again, and the backend ends with exactly what counts. */
    private void checkEnd() {
        faults.rate(0);
        cutNever();
        disk.capacity(Long.MAX_VALUE, true);
        if (storeDisk != null) {
            storeDisk.capacity(Long.MAX_VALUE, true);
        }
        backend.down(false);
        for (int round = 0; round < 2; round++) {
            clock.pass(5_000);
            feed(false, true);
            prepare();
            // What waits since before may be refused once more for a moment; what is asked now must be stored.
            drain();
            checkTold();
            feed(false, true);
            clock.pass(5_000);
            Asked asked = new Asked(origin(), update(), life.told());
            Ledger.check(offer(asked.pending), "the queue is full");
            write();
            Ledger.check(asked.stored == 1, "an update is refused although nothing fails");
            checkTold();
            checkIndex(life.engine().index());
            clock.pass(5_000);
            // What is queued is due to be forced.
            write();
            feed(false, true);
            Ledger.check(applied() == ledger.confirmed(), "%d of %d are applied", applied(), ledger.confirmed());
            Ledger.check(storeDisk != null || backend.model().all().equals(ledger.model().all()),
                    "the backend has something else");
            if (round == 0) {
                stop();
                faults.rate(0);
                cutNever();
            }
        }
    }
}
