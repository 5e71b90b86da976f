package dev.weir.storage.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An append-only log of updates in segments, with group commit.
 *
 * <p>One thread writes: it {@link #add adds} updates to a batch and {@link #force syncs} it, which makes them durable.
 * Another thread may read synced updates with a {@link LogReader}, and {@link #release release} those that are no
 * longer needed.
 *
 * <p>A segment is filled with zeros before use, so that syncing a batch writes data only: no length and no block map.
 * After a failed write or sync, it is unknown what is on disk. The log then abandons the segment, and the next one
 * begins with the first revision that is not known to be on disk, so that every later reader stops before it. A byte
 * of a record never changes: the block in which a batch ended is written again with the next batch, with the same
 * beginning.
 *
 * <p>The last batch that a start finds may be in memory only. Its process may have died before the sync, or after a
 * failed one; Linux then reports success for the next sync without writing anything. So a start does not trust this
 * batch and repeats it in a new segment.
 */
public final class UpdateLog implements AutoCloseable {
    static final Logger LOG = LoggerFactory.getLogger(UpdateLog.class);

    /** The name of the next segment during its preparation. */
    private static final String SPARE = "spare.tmp";
    private static final int FILL = 1 << 20;

    /** The maximum number of bytes between two syncs. */
    private static final int MAX_BATCH = 1 << 20;

    /** No revision. */
    private static final long NONE = Long.MAX_VALUE;

    /** The time from a failure to begin a segment to the next attempt. */
    private static final long RETRY_MILLIS = 1_000;

    private final Disk disk;
    private final LogLimits limits;
    private final long storageId;
    private final InstantSource clock;
    private final Executor preparer;
    private final Records records;
    private final ByteBuffer batch;
    private final ConcurrentSkipListMap<Long, Kept> segments = new ConcurrentSkipListMap<>();

    /** Held while the next segment is prepared and while it gets its name, because both use the same file name. */
    private final Object spareLock = new Object();

    /** Held while the oldest segment is deleted or taken. */
    private final Object oldestLock = new Object();
    private final AtomicBoolean preparing = new AtomicBoolean();
    private volatile @Nullable DiskFile spare;
    private volatile long durable;
    private volatile long applied;
    private volatile long held = NONE;
    private volatile long required = Long.MAX_VALUE - 1;

    /** The maximum size of the history beside the store as it is. */
    private volatile long history;
    private volatile boolean closed;

    private volatile long handed;

    // For the writing thread only.
    private long last;
    /** The number of bytes of the batch in the active segment that the operating system has and that stay. */
    private int written;
    private int handedBytes;
    private @Nullable DiskFile active;
    private @Nullable Segment unsure;
    private @Nullable ForcedMark mark;
    private boolean unmarked;
    /** Whether the mark for readers is older than {@link #durable}, because it could neither be written nor deleted. */
    private boolean markOutdated;
    private long position;
    private long failedMillis;

    /** The reason why the last attempt to begin or write a segment failed; for all threads. */
    private volatile @Nullable Hindrance hindrance;

    /** The last updates up to {@link #durable} that the next segment repeats; usually empty. */
    private volatile List<LoggedUpdate> repeated = List.of();

    /** The place where the next segment begins, with the history before it. For the writing thread. */
    private LogEpoch epoch = LogEpoch.NONE;
    private long checksum;
    /** Whether a file says how the next segment begins; it is deleted when that has its name. */
    private boolean epochAsked;

    private volatile Tip tip = new Tip(0, 0, LogEpoch.NONE);
    private final List<LogHold> holds = new CopyOnWriteArrayList<>();

    /** Guards waits for updates. */
    private final Object growth = new Object();
    private volatile int waiting;

    /**
     * The end of the log that every later start will find.
     *
     * @param revision as {@link #confirmed}
     * @param checksum the running checksum up to this revision
     * @param epoch the epoch in force
     */
    public record Tip(long revision, long checksum, LogEpoch epoch) {
        /**
         * Returns whether the log has everything that precedes its epoch. A follower enters the epoch of its leader
         * before it has caught up, so it can have a higher epoch than a node with more updates.
         */
        public boolean isComplete() {
            return revision >= epoch.first() - 1;
        }
    }

    /**
     * The reason why the log refuses updates.
     *
     * @param detail text for the operator
     */
    public record Hindrance(Obstacle obstacle, String detail) {}

    /** A lack of space that is not a failed write. */
    private static final class NoRoomException extends IOException {
        private static final long serialVersionUID = 1L;

        private final Obstacle obstacle;

        NoRoomException(Obstacle obstacle, String message) {
            super(message);
            this.obstacle = obstacle;
        }
    }

    /** A segment with further facts about it. */
    static final class Kept {
        private static final int TAKEN = -1;

        final Segment segment;
        final long bytes;
        /** The running checksum before the segment; empty if what is there now does not follow from it. */
        final OptionalLong checksum;
        volatile long sealedMillis;

        /** Whether it was left because it was full, so that every record is from before the next segment. */
        volatile boolean full;

        /** Readers of this process that have it open, or {@link #TAKEN}. */
        private final AtomicInteger readers = new AtomicInteger();

        Kept(Segment segment, long bytes, OptionalLong checksum, long sealedMillis) {
            this.segment = segment;
            this.bytes = bytes;
            this.checksum = checksum;
            this.sealedMillis = sealedMillis;
        }

        /** Begins to read the segment, and returns whether its content stays until {@link #leave}. */
        boolean enter() {
            return readers.updateAndGet(count -> count == TAKEN ? TAKEN : count + 1) != TAKEN;
        }

        /** Ends to read the segment. */
        void leave() {
            readers.decrementAndGet();
        }

        /** Takes the segment, to write over it, unless there are readers. Returns whether it did. */
        boolean take() {
            return readers.compareAndSet(0, TAKEN);
        }

        /** Gives the segment back unchanged. */
        void giveBack() {
            readers.set(0);
        }
    }

    private UpdateLog(Disk disk, LogLimits limits, long storageId, InstantSource clock, Executor preparer) {
        this.disk = disk;
        this.limits = limits;
        this.history = limits.retainBytes();
        this.storageId = storageId;
        this.records = new Records(storageId);
        this.clock = clock;
        this.preparer = preparer;
        this.batch = Records.buffer(Math.min(MAX_BATCH, limits.segmentBytes() - Segment.HEADER));
    }

    /**
     * Opens the log in a folder, or creates one.
     *
     * @param storageId the number of the storage that the log must belong to
     * @param applied the last revision of the backend
     * @param preparer runs the preparation of the next segment, which takes a fraction of a second
     * @param replay receives every update after {@code applied}, in order; possibly preceded by some that the backend
     *            has
     * @throws LogDamagedException if durable updates are unreadable
     * @throws StorageException if files cannot be read or written, or belong to another storage or a newer release
     */
    public static UpdateLog open(Disk disk, LogLimits limits, long storageId, long applied, InstantSource clock,
            Executor preparer, Consumer<LoggedUpdate> replay) throws StorageException {
        UpdateLog log = new UpdateLog(disk, limits, storageId, clock, preparer);
        try {
            log.recover(applied, replay);
            return log;
        } catch (IOException e) {
            log.close();
            throw new StorageException("the update log cannot be opened: " + e.getMessage(), e);
        } catch (StorageException | RuntimeException e) {
            log.close();
            throw e;
        }
    }

    /**
     * Prepares a folder without segments for a log that continues the history of another node.
     *
     * @param end the revision up to which the hashes beside the log have everything, with its history
     */
    public static void prepare(Disk disk, Tip end) throws IOException {
        new EpochFile(end.epoch().number(), end.epoch().branch(), end.epoch().first(), end.epoch().fresh(),
                end.revision(),
                OptionalLong.of(end.checksum())).write(disk);
    }

    /**
     * Makes the next start of a log begin another history, because the hashes beside it were changed without updates.
     */
    public static void breakHistory(Disk disk) throws IOException {
        EpochFile.next(0).write(disk);
    }

    /** Returns whether a folder has no log, because nothing has been written into it. */
    public static boolean isAbsent(Disk disk) throws StorageException {
        try {
            return Segment.among(disk.names()).isEmpty();
        } catch (IOException e) {
            throw new StorageException("the update log cannot be opened: " + e.getMessage(), e);
        }
    }

    private void recover(long backend, Consumer<LoggedUpdate> replay) throws IOException, StorageException {
        List<Segment> all = Segment.among(disk.names());
        disk.delete(SPARE);
        List<Segment> read = needed(all, backend);
        History history = new History();
        LogScan scan = new LogScan(disk, storageId, backend, ForcedMark.read(disk, storageId), update -> {
            history.add(update);
            replay.accept(update);
        });
        scan.run(read);
        if (!scan.damages().isEmpty()) {
            throw new LogDamagedException(scan.damages());
        }
        if (scan.doubtful() > 0) {
            LOG.info("{} updates at the end of the log were never on disk completely and are left out",
                    scan.doubtful());
        }
        LogEpoch known = readSegments(all);
        applied = backend;
        durable = Math.max(scan.reached(), backend);
        last = durable;
        handed = durable;
        repeated = scan.unconfirmed().stream().filter(update -> update.revision() > backend).toList();
        long first = firstOfNext();
        enterHistory(known, history, read.isEmpty() ? null : read.getFirst());
        try {
            begin();
        } catch (IOException e) {
            // Checks work without it. Updates are refused until it succeeds.
            LOG.error("updates cannot be accepted yet: {}", e.getMessage(), e);
            // Nothing is written until then, and readers find everything without the mark.
            disk.delete(ForcedMark.NAME);
            if (!repeated.isEmpty()) {
                // Until then, this is the best protection for these updates.
                forceInPlace(all.getLast());
            }
            return;
        }
        if (!all.isEmpty() && all.getLast().first() < first && scan.end() >= Segment.HEADER) {
            cutOff(all.getLast(), scan.end());
        }
    }

    /**
     * Registers the segments and returns the last epoch. A segment that begins a fresh epoch makes the checksums before
     * it useless.
     */
    private LogEpoch readSegments(List<Segment> all) throws IOException, StorageException {
        LogEpoch known = LogEpoch.NONE;
        List<Kept> usable = new ArrayList<>();
        Kept before = null;
        for (Segment segment : all) {
            try (PatchedFile file = new PatchedFile(disk.open(segment.name()), disk.describe(segment.name()))) {
                Optional<Segment.Header> header = segment.readHeader(disk, file, storageId);
                if (before != null) {
                    before.sealedMillis = header.map(Segment.Header::created).orElse(clock.millis());
                }
                LogEpoch in = header.map(Segment.Header::epoch).orElse(LogEpoch.NONE);
                boolean counts = in.number() > 0;
                if (!counts || (in.fresh() && in.first() == segment.first())) {
                    for (Kept old : usable) {
                        segments.put(old.segment.first(),
                                new Kept(old.segment, old.bytes, OptionalLong.empty(), old.sealedMillis));
                    }
                    usable.clear();
                }
                known = counts && in.number() >= known.number() ? in : known;
                before = new Kept(segment, file.size(),
                        counts ? OptionalLong.of(header.orElseThrow().checksum()) : OptionalLong.empty(),
                        clock.millis());
                segments.put(segment.first(), before);
                if (counts) {
                    usable.add(before);
                }
            }
        }
        return known;
    }

    /** Continues the history of the log, or begins another one if something is missing from it. */
    private void enterHistory(LogEpoch known, History history, @Nullable Segment start) throws IOException {
        long next = firstOfNext();
        Optional<EpochFile> there = EpochFile.read(disk);
        Optional<EpochFile> asked = there
                .filter(file -> file.checksum().isEmpty() || file.last() == next - 1);
        epochAsked = there.isPresent();
        Kept from = start == null ? null : segments.get(start.first());
        OptionalLong sum = start == null || from == null || from.checksum.isEmpty() || asked.isPresent()
                ? OptionalLong.empty()
                : history.checksum(from.checksum.getAsLong(), start.first(), next - 1);
        if (asked.isPresent() && asked.get().checksum().isPresent()) {
            epoch = new LogEpoch(asked.get().number(), asked.get().branch(), asked.get().first(),
                    asked.get().fresh());
            checksum = asked.get().checksum().getAsLong();
        } else if (sum.isPresent()) {
            epoch = known;
            checksum = sum.getAsLong();
        } else {
            begin(asked, known, next);
        }
        publish();
    }

    private void begin(Optional<EpochFile> asked, LogEpoch known, long next) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        epoch = new LogEpoch(Math.max(Math.max(known.number(), 1), asked.map(EpochFile::number).orElse(0)),
                random.nextInt(), next, true);
        checksum = random.nextLong();
        segments.replaceAll((_, kept) -> new Kept(kept.segment, kept.bytes, OptionalLong.empty(), kept.sealedMillis));
    }

    private void publish() {
        tip = new Tip(firstOfNext() - 1, checksum, epoch);
    }

    /** The checksum-relevant part of the updates that a start reads, at most those of its segments. */
    private static final class History {
        private long[] parts = new long[3 * 1_024];
        private int length;

        void add(LoggedUpdate update) {
            if (length == parts.length) {
                parts = Arrays.copyOf(parts, length * 2);
            }
            parts[length] = update.revision();
            parts[length + 1] = update.millis();
            parts[length + 2] = update.update().digest().word(0);
            length += 3;
        }

        /** Returns the checksum up to a revision; empty if an update before it is missing. */
        OptionalLong checksum(long before, long first, long last) {
            long sum = before;
            long next = first;
            for (int at = 0; at < length && next <= last; at += 3) {
                if (parts[at] != next) {
                    return OptionalLong.empty();
                }
                sum = RunningChecksum.after(sum, next, parts[at + 1], parts[at + 2]);
                next++;
            }
            return next == last + 1 ? OptionalLong.of(sum) : OptionalLong.empty();
        }
    }

    private void forceInPlace(Segment segment) throws IOException {
        try (DiskFile file = disk.open(segment.name())) {
            file.force();
        }
        // The name may be as new as the content, if an earlier start got this far.
        disk.force();
    }

    static List<Segment> needed(List<Segment> all, long applied) {
        int from = 0;
        while (from + 1 < all.size() && all.get(from + 1).first() <= applied + 1) {
            from++;
        }
        return all.subList(from, all.size());
    }

    /** Releases the space after the last record. Nothing depends on it. */
    private void cutOff(Segment segment, long end) {
        try (DiskFile file = disk.open(segment.name())) {
            if (file.size() > end) {
                file.truncate(end);
                Kept whole = segments.get(segment.first());
                segments.put(segment.first(), new Kept(segment, end,
                        whole == null ? OptionalLong.empty() : whole.checksum, clock.millis()));
            }
        } catch (IOException e) {
            LOG.debug("{} keeps its length", disk.describe(segment.name()), e);
        }
    }

    /**
     * Returns the last revision that is on disk. After a start it includes updates that are not yet written again; see
     * {@link #confirmed}. Any thread may ask.
     */
    public long durable() {
        return durable;
    }

    /**
     * Returns the last revision that is on disk or, after {@link #write}, with the operating system. Any thread may
     * ask.
     */
    public long handed() {
        return handed;
    }

    /** Returns the last revision passed to {@link #release}. Any thread may ask. */
    public long applied() {
        return applied;
    }

    /**
     * Returns the last revision that every later start will find. It is before {@link #durable} only if the last
     * updates that a start found could not be written again yet. Any thread may ask.
     */
    public long confirmed() {
        long last = durable;
        List<LoggedUpdate> doubtful = repeated;
        return doubtful.isEmpty() ? last : Math.min(last, doubtful.getFirst().revision() - 1);
    }

    /** Returns the end of the log with its history. Any thread may ask. */
    public Tip tip() {
        return tip;
    }

    /**
     * Returns the running checksum up to a revision. Any thread may ask. Reads up to one segment.
     *
     * @return empty if the log does not have the updates from the next revision on, if the revision is after
     *         {@link #confirmed}, or if the history before it is another one
     * @throws StorageException if the log cannot be read
     */
    public OptionalLong checksumAt(long revision) throws StorageException {
        Tip end = tip;
        if (revision == end.revision()) {
            return OptionalLong.of(end.checksum());
        }
        Kept kept = segmentOf(revision + 1);
        if (revision > end.revision() || kept == null || kept.checksum.isEmpty()) {
            return OptionalLong.empty();
        }
        long sum = kept.checksum.getAsLong();
        try (LogReader reader = reader(kept.segment.first())) {
            while (reader.next() <= revision) {
                List<LoggedUpdate> updates = reader.read((int) Math.min(1_024, revision + 1 - reader.next()));
                if (updates.isEmpty()) {
                    return OptionalLong.empty();
                }
                for (LoggedUpdate update : updates) {
                    sum = RunningChecksum.after(sum, update);
                }
            }
        } catch (IOException e) {
            LOG.debug("closing a file of the log failed", e);
        }
        return OptionalLong.of(sum);
    }

    /**
     * Waits until {@link #tip} is after a revision, at most for some time.
     *
     * @return whether it is
     */
    public boolean awaitAfter(long revision, Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        synchronized (growth) {
            waiting++;
            try {
                for (long left = time.toNanos(); tip.revision() <= revision && !closed
                        && left > 0; left = end - System.nanoTime()) {
                    TimeUnit.NANOSECONDS.timedWait(growth, left);
                }
            } finally {
                waiting--;
            }
        }
        return tip.revision() > revision;
    }

    private void tellGrowth() {
        if (waiting > 0) {
            synchronized (growth) {
                growth.notifyAll();
            }
        }
    }

    /** Returns the size of the segments that the backend still needs. Any thread may ask. */
    public long unappliedBytes() {
        return bytes() - appliedBytes();
    }

    /** Returns the size of all segments. Any thread may ask. */
    public long bytes() {
        return segments.values().stream().mapToLong(kept -> kept.bytes).sum();
    }

    /** Returns the limit of {@link #bytes} from which on updates are refused. */
    public long maxBytes() {
        return limits.maxBytes();
    }

    /** Returns the free disk space that the log needs to accept updates: the reserve, this segment and the next. */
    public long spareBytes() {
        return limits.reserveBytes() + 2L * limits.segmentBytes();
    }

    /** Returns the reason why the log refuses updates; empty if it accepts them. Any thread may ask. */
    public Optional<Hindrance> hindrance() {
        return Optional.ofNullable(hindrance);
    }

    // ---- writing ----

    /** Returns how many more updates fit into the batch, at least. */
    public int room() {
        return batch.remaining() / Records.MAX;
    }

    /**
     * Adds an update to the batch. It becomes durable with the next {@link #force}.
     *
     * @return its revision
     * @throws IllegalStateException if there is no room
     */
    public long add(UpdateOrigin origin, Update update) {
        return add(clock.millis(), origin, update);
    }

    /** Adds an update that was accepted at another time, such as by a leader. */
    public long add(long millis, UpdateOrigin origin, Update update) {
        if (room() == 0) {
            throw new IllegalStateException("the batch is full");
        }
        last++;
        records.encode(new LoggedUpdate(last, millis, origin, update), durable, batch);
        return last;
    }

    /**
     * Passes the batch to the operating system. It then survives the end of this process, but not that of the machine.
     *
     * @throws StorageException if that failed; the batch remains and can be written again, or {@link #discard
     *         discarded} except for parts that were passed on before
     */
    public void write() throws StorageException {
        try {
            writeBatch(false);
        } catch (IOException e) {
            giveUp();
            throw failed(e);
        }
        handedBytes = batch.position();
        handed = last;
    }

    /**
     * Begins the next segment if an earlier attempt failed, so that the log is ready for the next update and its state
     * is known. Also writes the mark for other processes if that failed. Otherwise does nothing.
     *
     * @throws StorageException if the segment still cannot be begun
     */
    public void retry() throws StorageException {
        if (unmarked) {
            say(durable);
        }
        if (hindrance == null || active != null) {
            return;
        }
        try {
            begin();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /**
     * Makes the batch durable.
     *
     * @throws StorageException if that failed; the batch remains and can be synced again or {@link #discard discarded}
     */
    public void force() throws StorageException {
        if (batch.position() == 0) {
            return;
        }
        try {
            writeBatch(true);
        } catch (IOException e) {
            giveUp();
            throw failed(e);
        }
        checksum = Records.checksum(batch, 0, batch.position(), checksum);
        batch.clear();
        written = 0;
        handedBytes = 0;
        handed = last;
        say(last);
        durable = last;
        publish();
        tellGrowth();
        if (position > limits.segmentBytes() / 4 && spare == null && preparing.compareAndSet(false, true)) {
            preparer.execute(this::prepare);
        }
    }

    /** Removes the updates added since the last successful {@link #force} or {@link #write}. */
    public void discard() {
        batch.position(handedBytes);
        last = handed;
        if (written > handedBytes) {
            giveUp();
        }
    }

    /** Returns whether an earlier failure left work for {@link #retry}. For the writing thread. */
    public boolean needsRetry() {
        return hindrance != null || unmarked;
    }

    /** Returns whether readers in other processes may miss durable updates at the end. For the writing thread. */
    boolean isMarkOutdated() {
        return markOutdated;
    }

    /** Writes the mark for readers in other processes. Without it, they read to the end of the log. */
    private void say(long revision) {
        try {
            if (mark == null) {
                mark = ForcedMark.open(disk, storageId, revision);
            } else {
                mark.write(revision);
            }
            unmarked = false;
            markOutdated = false;
        } catch (IOException e) {
            boolean first = !unmarked;
            boolean wasOutdated = markOutdated;
            unmarked = true;
            withdrawMark();
            if (markOutdated && !wasOutdated) {
                LOG.warn("{} can be neither written nor deleted ({}); until it can, backups miss the latest updates",
                        disk.describe(ForcedMark.NAME), e.getMessage());
            } else if (first) {
                LOG.warn("{} cannot be written ({}); until it can, backups may report damage where updates are being "
                        + "written", disk.describe(ForcedMark.NAME), e.getMessage());
            }
        }
    }

    /** Deletes an old mark, which would hide newer updates from readers. */
    private void withdrawMark() {
        ForcedMark old = mark;
        mark = null;
        if (old != null) {
            closeQuietly(old);
        }
        try {
            disk.delete(ForcedMark.NAME);
            markOutdated = false;
        } catch (IOException e) {
            LOG.debug("{} cannot be deleted either", disk.describe(ForcedMark.NAME), e);
            markOutdated = true;
            return;
        }
        try {
            disk.force();
        } catch (IOException e) {
            LOG.debug("after a power cut, {} may come back", disk.describe(ForcedMark.NAME), e);
        }
    }

    private StorageException failed(IOException e) {
        hinder(e);
        return new StorageException("the update log cannot be written: " + e.getMessage(), e);
    }

    private void writeBatch(boolean forced) throws IOException {
        DiskFile file = active;
        // Loops twice if the batch does not fit after the updates that the new segment repeats. It always fits into a
        // segment that repeats nothing.
        while (file == null || position + batch.position() - written > limits.segmentBytes()) {
            Map.Entry<Long, Kept> left = file == null ? null : segments.lastEntry();
            if (file != null && handedBytes > 0) {
                forceHanded(file);
            }
            giveUp();
            file = begin();
            if (left != null) {
                left.getValue().full = true;
            }
        }
        ByteBuffer rest = batch.duplicate().flip().position(written);
        int length = rest.remaining();
        if (forced && written == 0) {
            file.writeForced(rest, position);
        } else {
            file.writeFully(rest, position);
            if (forced) {
                file.force();
            }
        }
        position += length;
        written += length;
    }

    /** Syncs a segment before the log leaves it, so that the next one need not repeat what the operating system has. */
    private void forceHanded(DiskFile file) throws IOException {
        file.force();
        say(handed);
        checksum = Records.checksum(batch, 0, handedBytes, checksum);
        durable = handed;
        publish();
        batch.flip().position(handedBytes);
        batch.compact();
        written -= handedBytes;
        handedBytes = 0;
    }

    /** Abandons the active segment. The first revision of the next one marks the end of its valid part. */
    private void giveUp() {
        DiskFile file = active;
        active = null;
        if (file != null) {
            Map.Entry<Long, Kept> entry = segments.lastEntry();
            if (entry != null) {
                entry.getValue().sealedMillis = clock.millis();
            }
            closeQuietly(file);
        }
    }

    private long firstOfNext() {
        return durable + 1 - repeated.size();
    }

    /** Begins the segment of the first revision that is not surely on disk. */
    private DiskFile begin() throws IOException {
        long now = clock.millis();
        Hindrance earlier = hindrance;
        if (earlier != null && now >= failedMillis && now - failedMillis < RETRY_MILLIS) {
            // Repeated attempts on a full disk would slow down everything else.
            throw new NoRoomException(earlier.obstacle(), earlier.detail());
        }
        List<LoggedUpdate> left = new ArrayList<>();
        for (LoggedUpdate update : repeated) {
            if (update.revision() > applied) {
                left.add(update);
            } else {
                checksum = RunningChecksum.after(checksum, update);
            }
        }
        if (left.size() < repeated.size()) {
            repeated = List.copyOf(left);
            // True whether or not the segment can be begun. The epoch may be one that is being entered.
            tip = new Tip(firstOfNext() - 1, checksum, tip.epoch());
        }
        Segment segment = Segment.of(firstOfNext());
        ByteBuffer content = content(segment);
        DiskFile file;
        synchronized (spareLock) {
            try {
                file = ready(segment, content);
            } catch (IOException e) {
                unsure = segment;
                failedMillis = now;
                hinder(e);
                throw e;
            }
        }
        hindrance = null;
        OptionalLong before = OptionalLong.of(checksum);
        for (LoggedUpdate update : repeated) {
            checksum = RunningChecksum.after(checksum, update);
        }
        repeated = List.of();
        publish();
        removeUnsure(segment);
        segments.put(segment.first(),
                new Kept(segment, Math.max(limits.segmentBytes(), content.limit()), before, Long.MAX_VALUE));
        forgetEpochFile();
        active = file;
        position = content.limit();
        written = handedBytes;
        say(durable);
        return file;
    }

    private void forgetEpochFile() {
        if (epochAsked) {
            epochAsked = false;
            try {
                disk.delete(EpochFile.NAME);
            } catch (IOException e) {
                LOG.warn("{} stays ({}); the next start begins another epoch", disk.describe(EpochFile.NAME),
                        e.getMessage());
            }
        }
    }

    /**
     * Begins the next epoch with a new segment: this node leads from now on. For the writing thread, without a batch.
     *
     * @param above the highest epoch number known from other nodes
     * @param lossy whether to give up the updates that are missing from an incomplete log
     * @throws StorageException if the log is not complete, or the segment cannot be begun; the old epoch stays in force
     */
    public void promote(int above, boolean lossy) throws StorageException {
        if (!lossy && !tip.isComplete()) {
            throw new StorageException("this node has the updates up to " + tip.revision() + ", and epoch " + epoch
                    + " began after update " + (epoch.first() - 1) + ": promote a node that has them");
        }
        enter(new LogEpoch(Math.max(epoch.number(), above) + 1, ThreadLocalRandom.current().nextInt(),
                durable + 1, false));
    }

    /**
     * Enters an epoch of another node with a new segment. For the writing thread, without a batch.
     *
     * @throws StorageException if the segment cannot be begun; the old epoch stays in force
     */
    public void enter(LogEpoch next) throws StorageException {
        if (batch.position() > 0) {
            throw new IllegalStateException("updates wait for their sync");
        }
        LogEpoch before = epoch;
        epoch = next;
        giveUp();
        try {
            begin();
        } catch (IOException e) {
            epoch = before;
            throw failed(e);
        }
    }

    private void hinder(IOException e) {
        hindrance = new Hindrance(e instanceof NoRoomException room ? room.obstacle : Obstacle.FAILURE,
                String.valueOf(e.getMessage()));
    }

    /**
     * Deletes a segment whose beginning failed but that may have its name. Otherwise nothing would count or delete it
     * before the next start.
     */
    private void removeUnsure(Segment begun) {
        Segment other = unsure;
        unsure = null;
        if (other != null && other.first() != begun.first() && !segments.containsKey(other.first())) {
            try {
                disk.delete(other.name());
            } catch (IOException e) {
                LOG.debug("{} stays until the next start", disk.describe(other.name()), e);
            }
        }
    }

    /**
     * Returns the beginning of a segment. Updates that were passed on but not synced are in the previous segment, which
     * loses them as soon as this one has its name.
     */
    private ByteBuffer content(Segment segment) {
        ByteBuffer content = Records.buffer(Segment.HEADER + repeated.size() * Records.MAX + handedBytes);
        content.put(segment.header(storageId, new Segment.Header(clock.millis(), epoch, checksum)));
        repeated.forEach(update -> records.encode(update, segment.first() - 1, content));
        content.put(batch.duplicate().flip().limit(handedBytes));
        return content.flip();
    }

    private DiskFile ready(Segment segment, ByteBuffer content) throws IOException {
        DiskFile file = spare;
        spare = null;
        if (file == null) {
            file = reuse();
        }
        if (file == null) {
            makeRoom(segment.first(), content.limit());
            file = fill();
        }
        try {
            file.writeFully(content.duplicate(), 0);
            file.force();
            disk.rename(SPARE, segment.name());
            disk.force();
            file.close();
            // Reopens the file under its final name, because another kind of access may be possible.
            return disk.open(segment.name());
        } catch (IOException e) {
            closeQuietly(file);
            throw e;
        }
    }

    private void prepare() {
        try {
            synchronized (spareLock) {
                if (spare == null && !closed) {
                    spare = reuse();
                    if (spare == null) {
                        makeRoom(NONE, 0);
                        spare = fill();
                    }
                }
            }
        } catch (IOException e) {
            // Not a reason to refuse updates yet. The active segment has room, and its end tries again.
            LOG.debug("the next segment cannot be made yet", e);
        } finally {
            preparing.set(false);
        }
    }

    /** Ensures that one more segment stays within the limits. {@code first} is its first revision, if it begins now. */
    private void makeRoom(long first, int content) throws IOException {
        // Updates that a start found and must write again can be longer than a segment.
        long limit = limits.maxBytes() - Math.max(limits.segmentBytes(), content);
        while (true) {
            Kept old = segments.get(first);
            long bytes = bytes() - (old == null ? 0 : old.bytes);
            if (bytes <= limit && disk.usable() - limits.segmentBytes() >= limits.reserveBytes()) {
                return;
            }
            synchronized (oldestLock) {
                Kept oldest = oldestApplied();
                if (oldest == null && first != NONE && handed <= applied) {
                    // This is the last segment. It is complete, and the backend has all of it.
                    oldest = segments.isEmpty() ? null : segments.firstEntry().getValue();
                }
                if (oldest == null) {
                    throw bytes > limit
                            ? new NoRoomException(Obstacle.STORE, durable - applied + " updates in " + (bytes >> 20)
                                    + " MiB wait for the store, and " + (limits.maxBytes() >> 20) + " MiB is the most")
                            : new NoRoomException(Obstacle.DISK, "the disk has less than "
                                    + ((limits.reserveBytes() + limits.segmentBytes()) >> 20) + " MiB left");
                }
                drop(oldest);
            }
        }
    }

    /**
     * Takes the oldest segment that is not part of the history as the next one. Its records stay in the file until
     * others replace them; their revisions tell that they do not count. This saves filling a new file with zeros.
     *
     * @return null if there is no such segment, or if somebody reads it
     */
    private @Nullable DiskFile reuse() throws IOException {
        synchronized (oldestLock) {
            Kept oldest = oldestApplied();
            if (oldest == null || !oldest.full || oldest.bytes != limits.segmentBytes() || !isSurplus(oldest)
                    || !oldest.take()) {
                return null;
            }
            try {
                if (!disk.alone(() -> takeAsSpare(oldest))) {
                    oldest.giveBack();
                    return null;
                }
                segments.remove(oldest.segment.first());
                return disk.open(SPARE);
            } catch (IOException e) {
                // It may have either name, so nothing may be written to it.
                LOG.debug("{} cannot be used again", disk.describe(oldest.segment.name()), e);
                return null;
            }
        }
    }

    private void takeAsSpare(Kept oldest) throws IOException {
        disk.rename(oldest.segment.name(), SPARE);
        // Otherwise, the old name could come back with the new content after a power cut.
        disk.force();
    }

    private DiskFile fill() throws IOException {
        disk.delete(SPARE);
        DiskFile file = disk.create(SPARE);
        try {
            ByteBuffer zeros = Records.buffer(Math.min(FILL, limits.segmentBytes()));
            for (long at = 0; at < limits.segmentBytes(); at += zeros.capacity()) {
                zeros.clear().limit((int) Math.min(zeros.capacity(), limits.segmentBytes() - at));
                file.writeFully(zeros, at);
                // In pieces, so that a sync of a batch does not wait for the whole segment.
                file.force();
            }
            return file;
        } catch (IOException e) {
            closeQuietly(file);
            try {
                disk.delete(SPARE);
            } catch (IOException ignored) {
                e.addSuppressed(ignored);
            }
            throw e;
        }
    }

    // ---- reading and releasing ----

    /** Returns a reader that starts at a revision, which must not be released. */
    public LogReader reader(long from) {
        return new LogReader(this, from);
    }

    /**
     * Returns the segment that holds a revision. It is another object after the segment of that name was begun again.
     */
    @Nullable
    Kept segmentOf(long revision) {
        Map.Entry<Long, Kept> entry = segments.floorEntry(revision);
        return entry == null ? null : entry.getValue();
    }

    Disk disk() {
        return disk;
    }

    /** Returns the number of the storage. */
    public long storageId() {
        return storageId;
    }

    /** As {@link #release(long, long, boolean)}, with as much history as beside a store of any size. */
    public void release(long revision) {
        release(revision, Long.MAX_VALUE, false);
    }

    /**
     * Records that the backend has everything up to a revision, and deletes segments that nothing else needs. For one
     * thread at a time.
     *
     * @param storeBytes size of the backend
     * @param more whether so many updates arrive that the segments are soon needed for others; then they stay until a
     *            call without
     */
    public void release(long revision, long storeBytes, boolean more) {
        applied = revision;
        history = limits.historyBytes(storeBytes);
        if (more) {
            return;
        }
        try {
            while (dropSurplus()) {
                // Each call deletes one segment.
            }
        } catch (IOException e) {
            LOG.warn("an old part of the update log cannot be deleted: {}", e.getMessage());
        }
    }

    private boolean dropSurplus() throws IOException {
        synchronized (oldestLock) {
            Kept oldest = oldestApplied();
            if (oldest == null || !isSurplus(oldest)) {
                return false;
            }
            drop(oldest);
            return true;
        }
    }

    /** Returns whether the oldest segment, which the backend has, is not part of the history, and nobody claims it. */
    private boolean isSurplus(Kept oldest) {
        return !isHeld(oldest) && (appliedBytes() > history
                || clock.millis() - oldest.sealedMillis > limits.retain().toMillis());
    }

    /**
     * Keeps released updates after a revision for another reader, as long as the log does not need their space.
     * {@link #has} tells whether they are there. Any thread may call it.
     */
    public void hold(long revision) {
        held = revision;
    }

    /** Returns whether a reader can start at a revision. Any thread may ask. */
    public boolean has(long revision) {
        return revision > durable || segmentOf(revision) != null;
    }

    /**
     * Keeps all updates after a revision, whatever happens: the log rather refuses updates. Any thread may call it.
     */
    public void require(long revision) {
        required = revision;
    }

    private boolean isHeld(Kept kept) {
        Long next = segments.higherKey(kept.segment.first());
        return next == null || next - 1 > held || holds.stream().anyMatch(
                hold -> next - 1 > hold.revision() && bytesAfter(hold.revision()) <= hold.maxBytes());
    }

    /**
     * Keeps released updates for another reader, in addition to {@link #hold(long)}. Any thread may call it.
     *
     * @param revision the last revision that the reader does not need
     * @param maxBytes the size of the updates from which on they are deleted all the same
     */
    public LogHold hold(long revision, long maxBytes) {
        LogHold hold = new LogHold(revision, maxBytes);
        holds.add(hold);
        return hold;
    }

    /** Ends a claim. */
    public void release(LogHold hold) {
        holds.remove(hold);
    }

    /** Returns the size of the segments with updates after a revision. Any thread may ask. */
    public long bytesAfter(long revision) {
        Long first = segments.floorKey(revision + 1);
        return segments.tailMap(first == null ? 0L : first, true).values().stream().mapToLong(kept -> kept.bytes).sum();
    }

    private @Nullable Kept oldestApplied() {
        Map.Entry<Long, Kept> oldest = segments.firstEntry();
        return oldest != null && isApplied(oldest.getKey()) ? oldest.getValue() : null;
    }

    private boolean isApplied(Long first) {
        Long next = segments.higherKey(first);
        return next != null && next <= Math.min(applied, required) + 1;
    }

    private long appliedBytes() {
        long bytes = 0;
        for (Map.Entry<Long, Kept> entry : segments.entrySet()) {
            if (!isApplied(entry.getKey())) {
                break;
            }
            bytes += entry.getValue().bytes;
        }
        return bytes;
    }

    private void drop(Kept kept) throws IOException {
        // In this order, so that a segment that cannot be deleted still counts and is tried again.
        disk.delete(kept.segment.name());
        segments.remove(kept.segment.first());
    }

    /** Closes the files. Updates that were not synced may be lost. */
    @Override
    public void close() {
        giveUp();
        closeMark();
        synchronized (spareLock) {
            closed = true;
            DiskFile file = spare;
            spare = null;
            if (file != null) {
                closeQuietly(file);
                try {
                    disk.delete(SPARE);
                } catch (IOException e) {
                    LOG.debug("the spare segment stays until the next start", e);
                }
            }
        }
    }

    private void closeMark() {
        ForcedMark old = mark;
        mark = null;
        if (old == null) {
            return;
        }
        try (old) {
            if (handed == durable) {
                old.writeLast(durable);
            }
        } catch (IOException e) {
            // The existing mark remains true.
            LOG.debug("the mark of the log is not the last one", e);
        }
    }

    static void closeQuietly(Closeable file) {
        try {
            file.close();
        } catch (IOException e) {
            LOG.debug("closing a file of the log failed", e);
        }
    }
}
