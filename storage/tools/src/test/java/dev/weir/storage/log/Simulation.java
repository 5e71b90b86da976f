package dev.weir.storage.log;

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
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.KeyedHash;
import dev.weir.model.Update;
import dev.weir.storage.Model;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.checkpoint.CheckpointLock;
import dev.weir.storage.checkpoint.CheckpointSettings;
import dev.weir.storage.engine.CheckpointPlace;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.engine.EngineTurns;
import dev.weir.storage.index.HalfChange;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.IndexMatch;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.mirror.MirrorAttachment;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.queue.RecentRequests;
import dev.weir.storage.queue.Turns;
import dev.weir.storage.queue.UpdateWriter;
import org.jspecify.annotations.Nullable;

/**
 * A storage over many runs: the real engine, with its recovery and its stop, on simulated disks and clock, with a
 * simulated mirror or none. Everything follows from one seed. It throws {@link AssertionError} if a promise is broken.
 */
final class Simulation implements SimulatedDisk.Watcher {
    /** The complaint about a slot that is written although a manifest names it. */
    static final String OVERWRITTEN = "overwritten, and a manifest names it";

    private static final int DIGESTS = 10;
    private static final long EXPIRE_SECONDS = 7_200;

    /** The error of the time of day that the storage accepts at once. */
    private static final long BELIEVED_MILLIS = EXPIRE_SECONDS * 1_000 / 8;

    /** The duration of a restart that a storage with a distrusted clock does not know. */
    private static final long UNKNOWN_MILLIS = 120_000;

    private final SplittableRandom random;

    /** For events that came later, so that they do not change what the seeds did before. */
    private final SplittableRandom added;

    /** For when the time and the end of the log are saved. */
    private final SplittableRandom minutes;
    private final Faults faults;
    private final Ledger ledger = new Ledger();
    private final SimulatedClock clock = new SimulatedClock();
    private final SimulatedDisk disk;
    private final SimulatedBackend mirror;
    private final boolean hasMirror;

    /** The disk of the store. */
    private final SimulatedDisk storeDisk;

    /** The last update that the store has reported as stored. */
    private long checkpointed;

    /** Whether the store ever had updates that a later power failure could remove from the log. */
    private boolean aheadOfLog;

    private final CheckpointSettings storeSettings;

    /** Whether ids are free again before a checkpoint without their hashes is on disk, to prove that this is found. */
    private boolean freesIdsEarly;

    /** Whether updates continue while an image is written. */
    private boolean goingOn;
    private final SimulatedStore store;
    private final BitFlips flips;
    private final BadSectors sectors;
    private final StoreFlips storeFlips;
    private final LostFiles lostFiles;

    /** Copies the log while the storage runs. It has random numbers of its own, so that older seeds stay the same. */
    private final LostFiles copiedLog;
    private final UpdateWriter.Acknowledge acknowledge;

    /** Whether the log always has room for what clients may repeat, unless the disk is full. */
    private final boolean roomy;
    private boolean wasFull;
    private LogLimits limits;
    private final double rate;
    private final Records records = new Records(SimulatedBackend.ID);
    private final Lookup lookup = new Lookup();
    private final Deque<Runnable> preparations = new ArrayDeque<>();
    private final Deque<Asked> repeatable = new ArrayDeque<>();
    private int tags;
    private int jumps;

    /** How often the times in the log may have advanced faster than the true time. */
    private int leaps;

    private int lostClockFiles;

    /** The true time at which a valid update last changed a flag. */
    private final Map<String, Long> changed = new HashMap<>();

    /** The true time of every request, because refused updates may reappear and become valid much later. */
    private final Map<Update, Long> asked = new HashMap<>();

    /** Whether the writer died while the log was read from outside. */
    private boolean writerDied;

    /** Number of failed syncs that dropped data, at the end of the last process. */
    private long dropsAtEnd;
    private Life life;

    /**
     * The state that ends with the process, and the size of all files at its beginning, including those whose deletion
     * a power failure undid.
     */
    private record Life(EngineTurns engine, List<Asked> told, long bytes) {
        UpdateLog log() {
            return engine.log();
        }

        Turns turns() {
            return engine.turns();
        }
    }

    /** A request with its outcome. */
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

    /** Creates a storage before its first start, with a mirror or without one. */
    Simulation(long seed, Map<Fault, Long> counts, boolean hasMirror) {
        this.random = new SplittableRandom(seed);
        this.added = new SplittableRandom(~seed);
        this.minutes = new SplittableRandom(63 * seed);
        this.faults = new Faults(random.split(), counts);
        this.disk = new SimulatedDisk(faults, this);
        this.mirror = new SimulatedBackend(faults, ledger);
        this.hasMirror = hasMirror;
        this.storeDisk = new SimulatedDisk(faults, SimulatedDisk.Watcher.NONE);
        this.storeSettings = new CheckpointSettings(random.nextInt(336, 1_000), 48, 1 + random.nextInt(6),
                random.nextInt(1 + random.nextInt(30_000)), Duration.ofMinutes(random.nextInt(60)));
        this.store = new SimulatedStore(
                place(new StoreDisk(storeDisk, this::goOnBesideImage, this::checkNotNamed)), disk,
                hasMirror
                        ? List.of(new MirrorAttachment(new SimulatedMirror(mirror, faults, this::isAllOnDisk)))
                        : List.of());
        this.roomy = random.nextInt(3) == 0;
        this.limits = limits();
        this.rate = random.nextInt(4) == 0 ? 0 : Math.pow(10, -1 - 2 * random.nextDouble()) / 2;
        this.flips = new BitFlips(random.split(), counts);
        this.sectors = new BadSectors(random.split(), counts);
        this.storeFlips = new StoreFlips(random.split(), counts);
        this.lostFiles = new LostFiles(random.split(), counts);
        this.copiedLog = new LostFiles(new SplittableRandom(31 * seed), counts);
        this.acknowledge = random.nextInt(3) == 0
                ? UpdateWriter.Acknowledge.QUEUED
                : UpdateWriter.Acknowledge.DURABLE;
        ledger.watch(this::checkAge);
        this.life = start();
    }

    private CheckpointPlace place(Disk files) {
        return new CheckpointPlace(files, storeSettings, () -> SimulatedBackend.ID, CheckpointLock.NONE);
    }

    private boolean isAllOnDisk() {
        if (life == null) {
            // The first attempt of a start is too early to know.
            return false;
        }
        follow();
        return life.log().durable() == ledger.confirmed();
    }

    /** Breaks the rule that an id waits for a checkpoint. */
    Simulation freeIdsEarly() {
        freesIdsEarly = true;
        return this;
    }

    /** Checks that a manifest which the next start may find does not name the slots that are written. */
    private void checkNotNamed(String file, long position, int bytes) {
        Set<NamedSlots.Slot> named = NamedSlots.possible(storeDisk);
        int last = NamedSlots.at(file, position + bytes - 1).id();
        for (int id = NamedSlots.at(file, position).id(); id <= last; id++) {
            Ledger.check(!named.contains(new NamedSlots.Slot(file, id)), "slot %d of %s is %s", id, file, OVERWRITTEN);
        }
    }

    private static String key(Digest digest, int flag) {
        return digest + " " + flag;
    }

    /** Returns the age, in true time, below which a flag is certainly young, whatever the time of day was set to. */
    private long youngMillis() {
        return EXPIRE_SECONDS * 1_000 / 2 - jumps * BELIEVED_MILLIS - UNKNOWN_MILLIS;
    }

    /** Returns whether an expiry removes a flag. One that was written again in the same batch stays. */
    private boolean removes(Update.Expire expire) {
        return ledger.model().find(expire.digest(), null, 0).map(Model.Answer::flags).orElse(List.of()).stream()
                .anyMatch(flag -> flag.flag() == expire.flag() && flag.time() < expire.before());
    }

    /**
     * Checks the age of an expired flag. A clock that jumped ahead is trusted after an equal time, so at least half of
     * the age has passed.
     */
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
        return new LogLimits(segment, (long) segment * (roomy ? 1_000 : 2 + random.nextInt(12)),
                random.nextInt(3) * 4_096L, Duration.ofMinutes(random.nextInt(3) * 30L),
                (long) segment * random.nextInt(4), LogLimits.DEFAULT.repeats());
    }

    // ---- events of the disk ----

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

    // ---- runs ----

    private Life start() {
        for (int attempt = 0;; attempt++) {
            faults.rate(attempt > 3 ? 0 : rate);
            if (attempt > 3) {
                // The operator makes room.
                disk.capacity(Long.MAX_VALUE, true);
                storeDisk.capacity(Long.MAX_VALUE, true);
            }
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
                // A read that fails twice fails for good.
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
        Ledger.check(storeDisk.openFiles() == 0, "files of the store stay open");
    }

    /** Returns one of the disks on which the process can end. */
    private SimulatedDisk anyDisk() {
        return random.nextBoolean() ? disk : storeDisk;
    }

    private void cutNever() {
        disk.cutNever();
        storeDisk.cutNever();
    }

    /** Returns the last revision for which the log is not needed. */
    private long applied() {
        return checkpointed;
    }

    /** Starts a storage on copies of the disks, and ends it. */
    private LostFiles.Found startCopy(SimulatedDisk log, SimulatedDisk files, Optional<LogEnd> noted)
            throws StorageException {
        SimulatedStore copy = store.copy(place(files), log, noted);
        EngineTurns engine = EngineTurns.open(config(_ -> {}), copy, _ -> {}, _ -> {});
        try {
            List<HashIndex.@Nullable KnownHash> hashes = new ArrayList<>();
            for (int n = 0; n < DIGESTS; n++) {
                HashIndex.KnownHash known = engine.index().known(Samples.digest(n), lookup);
                // A lost slot may change the ids that other hashes get afterwards.
                hashes.add(known == null
                        ? null
                        : new HashIndex.KnownHash(0, known.flags(), known.renewed(),
                                known.signed(), known.slots(), known.sides()));
            }
            return new LostFiles.Found(new StoreFlips.Started(hashes, engine.index().size(), engine.damage()),
                    engine.index().revision());
        } finally {
            engine.close();
        }
    }

    private EngineConfig config(Executor preparer) {
        return new EngineConfig(Duration.ofSeconds(EXPIRE_SECONDS), Duration.ofSeconds(1), acknowledge, limits, clock,
                clock::nanos, () -> new KeyedHash(1, 2), preparer, EngineConfig.Replication.ALONE);
    }

    private Life tryStart() throws StorageException {
        long readErrors = faults.count(Fault.READ_ERROR);
        List<LoggedUpdate> replayed = new ArrayList<>();
        ledger.recovering();
        EngineTurns engine = EngineTurns.open(config(preparations::add), store, replayed::add, _ -> {
            if (faults.happens(Fault.NO_MEMORY)) {
                throw new OutOfMemoryError("simulated");
            }
        });
        HalfChange.inject(engine.index(), () -> faults.happens(Fault.NO_MEMORY_IN_CHANGE));
        cutNever();
        if (!engine.damage().isEmpty()) {
            // A slot that fails to read three times fails for good. The operator checks the disk and starts again.
            Ledger.check(faults.count(Fault.READ_ERROR) - readErrors >= 3,
                    "damage where none was done: %s", engine.damage());
            throw new PowerCut();
        }
        if (faults.count(Fault.READ_ERROR) > readErrors) {
            // The part of the log that the store has may be unreadable for good.
            repeatable.clear();
        }
        long applied = engine.log().applied();
        // A checkpoint may be valid although writing it failed.
        aheadOfLog |= applied > checkpointed;
        checkpointed = applied;
        forgetOldRequests();
        if (faults.count(Fault.FORCE_ERROR_DROPS) > dropsAtEnd) {
            // A sync that fails during a start drops what was only in the page cache.
            ledger.droppedUnsynced();
        }
        long counted = ledger.confirmed();
        ledger.recovered(replayed, applied, engine.log().durable(), disk.hasDropped());
        if (ledger.confirmed() < counted) {
            // The last writes may be among the lost ones.
            changed.clear();
            if (acknowledge == UpdateWriter.Acknowledge.QUEUED) {
                faults.note(Fault.QUEUED_AND_LOST);
            }
        }
        checkIndex(engine.index());
        return new Life(engine, new ArrayList<>(), engine.log().bytes());
    }

    /** Runs the storage many times, and checks at the end that everything works. */
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
            copiedLog.keepLog(disk);
            checkTold();
        } catch (OutOfMemoryError e) {
            // The writer is gone; the other threads end as always.
            checkTold();
            leave();
        }
    }

    private void act() {
        switch (random.nextInt(27)) {
            case 0 -> die(true);
            case 1 -> die(false);
            case 2 -> stop();
            case 3 -> mirror.down(random.nextBoolean());
            case 4 -> faults.rate(random.nextInt(4) == 0 ? Math.min(0.3, rate * 20) : rate);
            case 5 -> {
                boolean full = random.nextInt(3) == 0;
                wasFull |= full;
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
                feed(random.nextBoolean());
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
            case 17 -> burst();
            default -> {
                clock.pass(random.nextInt(800));
                ask();
                write();
            }
        }
    }

    /** Many updates, with checkpoints only because the log gets long: segments are written over. */
    private void burst() {
        for (int i = random.nextInt(25); i > 0; i--) {
            clock.pass(random.nextInt(50));
            ask();
            write();
            if (random.nextInt(3) == 0) {
                feed(random.nextBoolean(), false);
                if (writerDied) {
                    throw new OutOfMemoryError("simulated");
                }
            }
            if (random.nextInt(3) == 0) {
                prepare();
            }
        }
    }

    private void prepare() {
        for (Runnable next = preparations.poll(); next != null; next = preparations.poll()) {
            next.run();
        }
    }

    /** Waits for all requests, which never takes hours. */
    private void drain() {
        while (life.engine().queued() > 0) {
            write();
        }
    }

    private void jump() {
        drain();
        setClock();
    }

    /** Sets the clock by minutes, hours or years. */
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
            storeDisk.crash();
            store.crash();
            ledger.crashed();
        } else {
            disk.kill();
            storeDisk.kill();
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

    /** Stops like a real stop after the writer has ended, however it ended. */
    private void leave() {
        if (random.nextBoolean()) {
            feed(false);
        }
        life.turns().endFollowing();
        life.engine().close();
        checkTold();
        checkNoOpenFiles();
        restart();
    }

    private void restart() {
        dropsAtEnd = faults.count(Fault.FORCE_ERROR_DROPS);
        preparations.clear();
        // The process may have ended just after the report.
        checkpointed = Math.max(checkpointed, life.log().applied());
        aheadOfLog |= checkpointed > life.log().confirmed();
        forgetOldRequests();
        if (!aheadOfLog) {
            // These tests look only at records before the first gap of the log.
            flips.tryOn(disk, limits, applied(), clock);
            sectors.tryOn(disk, limits, applied(), clock);
        }
        storeFlips.tryOn(disk, storeDisk, (log, files) -> startCopy(log, files, store.noted()).hashes());
        if (!aheadOfLog) {
            lostFiles.tryOn(disk, storeDisk, store.noted(), this::startCopy);
            copiedLog.tryLogOfSameRun(disk, storeDisk, store.noted(), this::startCopy);
        }
        if (random.nextInt(8) == 0) {
            limits = limits();
        }
        if (random.nextInt(12) == 0) {
            setClock();
            faults.note(Fault.CLOCK_JUMP_BETWEEN);
        }
        if (added.nextInt(12) == 0) {
            // A damaged file is kept aside, so the start finds none.
            store.loseLastRun();
            faults.note(Fault.CLOCK_FILE_LOST);
            if (++lostClockFiles > 1) {
                // What was learned after the first loss may have the time of a wrong clock, and after the second one
                // only the hashes tell the time (seed 9737).
                changed.clear();
            }
        }
        life = start();
    }

    /** Forgets requests that have left the log, because nothing recognizes their repetition. */
    private void forgetOldRequests() {
        long first = Segment.among(disk.fileNames()).stream().mapToLong(Segment::first).min().orElse(Long.MAX_VALUE);
        repeatable.removeIf(asked -> {
            long revision = ledger.revision(asked.pending.origin(), asked.pending.update());
            Ledger.check(revision >= first || !roomy || wasFull || !isRecent(asked),
                    "the log has dropped %s, which its client may repeat", asked.pending);
            // A crash of the machine may take updates from the log that the store got before they were on disk.
            return revision < first || (aheadOfLog && revision <= applied());
        });
    }

    /** Returns whether a client may repeat a request, however often the clock was set since. */
    private boolean isRecent(Asked before) {
        // After a restart, each leap looks like a pause, which counts a second.
        long longest = RecentRequests.KEEP_MILLIS - 2_000 - (leaps - before.leapsBefore) * LogLimits.LONGEST_PAUSE;
        return (clock.nanos() - before.nanos) / 1_000_000 <= longest;
    }

    // ---- clients ----

    private void ask() {
        int count = random.nextInt(14);
        for (int i = 0; i < count; i++) {
            if (!repeatable.isEmpty() && random.nextInt(12) == 0) {
                repeat();
            } else if (random.nextInt(8) == 0) {
                Update refresh = new Update.Refresh(digest(), laterSeconds());
                offer(new QueuedUpdate(refresh, UpdateOrigin.STORAGE, QueuedUpdate.Outcome.NONE));
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

    /** Repeats a request whose reply the client did not get. */
    private void repeat() {
        Asked before = repeatable.removeFirst();
        if (!isRecent(before)) {
            return;
        }
        if (before.leapsBefore != leaps && ledger.times(before.pending.origin(), before.pending.update()) == 0) {
            // A request that arrives for the first time gets the time of its arrival.
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
                    random.nextBoolean()
                            ? null
                            : Samples.signature(n).withSides(random.nextInt(3) == 0 ? Samples.sides(n) : null));
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
        if (minutes.nextInt(4) == 0) {
            life.engine().saveTime();
        } else {
            var _ = life.engine().clock().millis();
        }
        if (doubted && life.engine().clock().doubt().isEmpty()) {
            leaps++;
        }
    }

    /** Records what the log reports as written and as durable. */
    private void follow() {
        if (life.log().handed() > ledger.confirmed()) {
            ledger.handed(life.log().handed());
        }
        ledger.durable(life.log().durable());
    }

    /**
     * Reads the log like another process that makes a copy while this one continues: everything that was durable at its
     * beginning, nothing else, and no damage.
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
        try (LogHistory log = LogHistory.open(outside, true, SimulatedBackend.ID, store.logEnd(SimulatedBackend.ID))) {
            live = log.isLive();
            goesOn[0] &= live;
            // First the log, then the store, which has everything that left the log meanwhile.
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
        // A disk may have forgotten updates that the store has, or the deletion of old segments. That affects only
        // the history.
        boolean forgotten = after < 0 && (disk.isForgetful() || aheadOfLog);
        long exactBehind = forgotten ? applied() : after;
        Ledger.check(damages.stream().allMatch(damage -> damage.last() <= exactBehind),
                "damage where none was done: %s", damages);
        follow();
        long reached = read.isEmpty() ? after : read.getLast().revision();
        Ledger.check(forgotten || reached >= durable || (read.isEmpty() && applied() >= durable),
                "%d was read from outside, %d were durable", reached, durable);
        for (LoggedUpdate update : read) {
            // Without a mark, refused attempts may be among them.
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
            if (random.nextInt(4) == 0) {
                feed(false);
                prepare();
            }
        } catch (OutOfMemoryError e) {
            // The reader is another process, and goes on.
            writerDied = true;
        } catch (PowerCut e) {
            // The reader closes its files on its way out, and must not meet a process that goes on.
            writerDied = true;
            throw e;
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

    /** Lets the follower of the log do its due work, while updates continue or not. */
    private void feed(boolean goesOn) {
        feed(goesOn, random.nextInt(4) > 0);
        if (hasMirror && random.nextInt(3) > 0) {
            feedMirror();
        }
    }

    private void feed(boolean goesOn, boolean asks) {
        long injected = faults.injected();
        HashIndex index = life.engine().index();
        long wanted = index.revision();
        long before = checkpointed;
        boolean wasBlocked = life.engine().index().isIncomplete();
        if (asks) {
            life.turns().askForSync();
        }
        boolean done;
        if (freesIdsEarly) {
            index.cut();
            index.endImage();
            index.release();
        }
        goingOn = goesOn;
        writerDied &= !goesOn;
        try {
            done = life.turns().feed();
        } finally {
            goingOn = false;
        }
        follow();
        checkpointed = life.log().applied();
        aheadOfLog |= checkpointed > life.log().confirmed();
        ledger.applied(checkpointed);
        boolean blocked = life.engine().index().isIncomplete();
        Ledger.check(!wasBlocked || checkpointed == before, "a checkpoint of an incomplete index");
        Ledger.check(done || blocked || faults.injected() > injected, "no checkpoint although nothing failed: %s",
                life.turns().failure());
        boolean sure = acknowledge == UpdateWriter.Acknowledge.DURABLE
                && life.log().confirmed() == life.log().durable();
        Ledger.check(!asks || !done || blocked || !sure || checkpointed >= wanted, "the store has %d of %d",
                checkpointed, wanted);
    }

    /** Lets the mirror follow. It gets only valid updates, and each once. */
    private void feedMirror() {
        follow();
        boolean done = life.turns().feedMirror();
        if (life.turns().mirrorHasDiverged()) {
            // Damage broke the history of the log, so it does not tell. An operator builds the mirror again.
            faults.note(Fault.MIRROR_REFUSED);
            if (!mirror.isDown() && isAllOnDisk()) {
                mirror.rebuild();
            }
            return;
        }
        // It may have those that the log had confirmed in an earlier process and must still write again in this one.
        Ledger.check(
                !done || (mirror.revision() >= life.log().confirmed() && mirror.revision() <= life.log().durable()),
                "the mirror has %d of %d", mirror.revision(), life.log().confirmed());
    }

    /** Checks that each client got exactly one true outcome. */
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
            HashIndex.KnownHash known = index.known(Samples.digest(n), lookup);
            Ledger.check(Objects.equals(known == null ? null : known.sides(), model.sides(Samples.digest(n))),
                    "hash %d is %s, its side hashes should be %s", n, known, model.sides(Samples.digest(n)));
        }
    }

    /** Checks that young flags are visible, whatever the time of day. */
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

    /**
     * Checks that everything works again without failures, and that store and mirror end with exactly the valid
     * updates.
     */
    private void checkEnd() {
        faults.rate(0);
        try {
            cutNever();
        } catch (PowerCut hidden) {
            // The last step ended the process in a call whose failure another one hides.
            faults.note(Fault.CUT_IN_CALL);
            checkTold();
            die(random.nextBoolean());
            // The start let failures happen again.
            faults.rate(0);
            cutNever();
        }
        disk.capacity(Long.MAX_VALUE, true);
        storeDisk.capacity(Long.MAX_VALUE, true);
        mirror.down(false);
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
            // What is queued is due to be forced, and then what a sweep in this turn has queued (seed 833).
            write();
            clock.pass(5_000);
            write();
            feed(false, true);
            Ledger.check(applied() == ledger.confirmed(), "%d of %d are applied", applied(), ledger.confirmed());
            if (hasMirror) {
                // The first turns may find that the mirror must be built again.
                feedMirror();
                feedMirror();
                feedMirror();
                Ledger.check(mirror.revision() == ledger.confirmed(), "the mirror has %d of %d", mirror.revision(),
                        ledger.confirmed());
                Ledger.check(mirror.model().all().equals(ledger.model().all()), "the mirror has something else");
            }
            if (round == 0) {
                stop();
                faults.rate(0);
                cutNever();
            }
        }
    }
}
