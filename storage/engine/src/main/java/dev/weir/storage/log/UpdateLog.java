package dev.weir.storage.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import dev.weir.model.Update;
import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An append-only log of updates in segments, with group commit.
 *
 * <p>One thread writes: it {@link #add adds} updates to a batch and {@link #force syncs} it, which makes them durable.
 * Consumers read synced updates, each with a {@link LogReader}, and say with a {@link LogClaim} which ones they lack.
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

    /** The maximum number of bytes between two syncs. */
    private static final int MAX_BATCH = 1 << 20;

    /** The time from a failure to begin a segment to the next attempt. */
    private static final long RETRY_MILLIS = 1_000;

    private final Disk disk;
    private final LogLimits limits;
    private final long storageId;
    private final InstantSource clock;
    private final Records records;
    private final ByteBuffer batch;
    private final LogClaim store;
    private final KeptSegments segments;
    private final SpareSegment spare;
    private final Executor preparer;
    private final PublishedTip tip = new PublishedTip();
    private volatile long durable;
    private volatile long handed;

    private final LogEndNote note;
    private final EndWriter end;

    /**
     * The number of this run, and that of the last run that the mark is known to have had on disk. It is the time of
     * the start, so that it rises even after mark and note were lost, and more than that of every run that is known.
     */
    private long run;
    private volatile long markedRun;

    // For the writing thread only.
    private final MarkWriter mark;
    private long last;
    /** The number of bytes of the batch in the active segment that the operating system has and that stay. */
    private int written;
    private int handedBytes;

    /** Whether the batch may have an update that its client may repeat. */
    private boolean asked;
    private @Nullable DiskFile active;

    /** The length of the active segment. */
    private int reserved;
    private @Nullable Segment unsure;
    private @Nullable Remains remains;
    private long position;
    private long failedMillis;

    /** The reason why the last attempt to begin or write a segment failed; for all threads. */
    private volatile @Nullable Hindrance hindrance;

    /** The last updates up to {@link #durable} that the next segment repeats; usually empty. */
    private volatile List<LoggedUpdate> repeated = List.of();

    /** The place where the next segment begins, with the history before it. For the writing thread. */
    private LeaderEpoch epoch = LeaderEpoch.NONE;
    private long checksum;
    /** What the segments that the start found have for sure, until another one is begun. */
    private volatile long certain = Long.MAX_VALUE;

    /** Whether a segment says with which history this run goes on. Until then, the files may have another one. */
    private volatile boolean hasHistory;

    /** Whether a file says how the next segment begins; it is deleted when that has its name. */
    private boolean epochAsked;

    /**
     * What an abandoned segment may have after its last durable update.
     *
     * @param end the byte at which that update ends
     */
    private record Remains(Segment segment, long end) {}

    /**
     * The end of the log that every later start will find.
     *
     * @param revision as {@link #confirmed}
     * @param checksum the running checksum up to this revision
     * @param epoch the epoch in force
     */
    public record Tip(long revision, long checksum, LeaderEpoch epoch) {
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

    private UpdateLog(Disk disk, LogLimits limits, long storageId, long applied, List<LogClaim> claims,
            LogEndNote note, InstantSource clock, LongSupplier nanos, Executor preparer) {
        this.disk = disk;
        this.note = note;
        this.end = new EndWriter(note);
        this.limits = limits;
        this.storageId = storageId;
        this.records = new Records(storageId);
        this.clock = clock;
        this.store = new LogClaim("store", LogClaim.Retention.MUST_KEEP, applied);
        this.segments = new KeptSegments(disk, limits, clock, store, claims, () -> durable, nanos,
                () -> end.write(new LogEnd(confirmed(), durable, markedRun, OptionalLong.empty())));
        this.spare = new SpareSegment(disk, limits.segmentBytes(), segments, preparer);
        this.preparer = preparer;
        this.mark = new MarkWriter(disk, storageId);
        this.batch = Records.buffer(Math.min(MAX_BATCH, limits.segmentBytes() - Segment.HEADER));
    }

    /** Opens the log in a folder, or creates one, without claims of others than the store. */
    public static UpdateLog open(Disk disk, LogLimits limits, long storageId, long applied, InstantSource clock,
            Executor preparer, Consumer<LoggedUpdate> replay) throws StorageException {
        return open(disk, limits, storageId, applied, List.of(), LogEndNote.NONE, clock,
                () -> TimeUnit.MILLISECONDS.toNanos(clock.millis()), preparer, replay);
    }

    /**
     * Opens the log in a folder, or creates one.
     *
     * @param storageId the number of the storage that the log must belong to
     * @param applied the last revision of the store
     * @param claims those of consumers that count before others can be made
     * @param note what is known about the end of the log from outside the folder
     * @param nanos a monotonic clock
     * @param preparer runs the preparation of the next segment, which takes a fraction of a second
     * @param replay receives every update after {@code applied}, in order, preceded by those that the store has and
     *            clients may still repeat, and possibly by others
     * @throws LogDamagedException if durable updates are unreadable or missing
     * @throws StorageException if files cannot be read or written, or belong to another storage or a newer release
     */
    public static UpdateLog open(Disk disk, LogLimits limits, long storageId, long applied, List<LogClaim> claims,
            LogEndNote note, InstantSource clock, LongSupplier nanos, Executor preparer,
            Consumer<LoggedUpdate> replay) throws StorageException {
        UpdateLog log = new UpdateLog(disk, limits, storageId, applied, claims, note, clock, nanos, preparer);
        try {
            log.recover(replay);
            return log;
        } catch (IOException e) {
            log.close();
            throw new StorageException("the update log cannot be opened: " + Reason.of(e), e);
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
        new LeaderEpochFile(end.epoch().number(), end.epoch().branch(), end.epoch().first(), end.epoch().fresh(),
                end.revision(),
                OptionalLong.of(end.checksum())).write(disk);
    }

    /**
     * Makes the next start of a log begin another history, because the hashes beside it were changed without updates.
     */
    public static void breakHistory(Disk disk) throws IOException {
        breakHistory(disk, 0);
    }

    /** As above, under an epoch with at least a number. */
    public static void breakHistory(Disk disk, int number) throws IOException {
        LeaderEpochFile.next(number).write(disk);
    }

    /** Returns whether a folder has no log, because nothing has been written into it. */
    public static boolean isAbsent(Disk disk) throws StorageException {
        try {
            return Segment.among(disk.names()).isEmpty();
        } catch (IOException e) {
            throw new StorageException("the update log cannot be opened: " + Reason.of(e), e);
        }
    }

    private void recover(Consumer<LoggedUpdate> replay) throws IOException, StorageException {
        LogStart start = LogStart.read(disk, storageId, segments, limits.repeats(), note, replay);
        durable = start.durable();
        last = durable;
        handed = durable;
        repeated = start.repeated();
        epoch = start.history().epoch();
        checksum = start.history().checksum();
        epochAsked = start.history().asked();
        run = Math.max(start.known().run() + 1, clock.millis());
        markedRun = start.known().notedRun();
        certain = start.certain();
        mark.begin(run);
        publishTip();
        try {
            begin();
        } catch (IOException e) {
            // Checks work without it. Updates are refused until it succeeds.
            LOG.error("updates cannot be accepted yet: {}", Reason.of(e), e);
            // Nothing is written until then, and readers find everything without the mark.
            disk.delete(ForcedMark.NAME);
            end.writeIfPossible(reached(durable));
            if (!repeated.isEmpty()) {
                // Until then, this is the best protection for these updates.
                forceInPlace(start.segments().getLast());
            }
            return;
        }
        List<Segment> before = start.segments();
        if (!before.isEmpty() && before.getLast().first() < start.next() && start.end() >= Segment.HEADER) {
            segments.cutOff(before.getLast(), start.end());
        }
    }

    private void publishTip() {
        tip.set(new Tip(firstOfNext() - 1, checksum, epoch));
    }

    private void forceInPlace(Segment segment) throws IOException {
        try (DiskFile file = disk.open(segment.name())) {
            file.force();
        }
        // The name may be as new as the content, if an earlier start got this far.
        disk.force();
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

    /** Returns the last revision that the store has. Any thread may ask. */
    public long applied() {
        return segments.applied();
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
        return tip.get();
    }

    /**
     * Returns the running checksum up to a revision. Any thread may ask. Reads up to one segment.
     *
     * @return empty if the log does not have the updates from the next revision on, if the revision is after
     *         {@link #confirmed}, or if the history before it is another one
     * @throws StorageException if the log cannot be read
     */
    public OptionalLong checksumAt(long revision) throws StorageException {
        Tip end = tip.get();
        if (revision == end.revision()) {
            return OptionalLong.of(end.checksum());
        }
        KeptSegment kept = segments.holding(revision + 1);
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
        } catch (LogReleasedException e) {
            LOG.debug("the checksum up to update {} is not known", revision, e);
            return OptionalLong.empty();
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
        return tip.awaitAfter(revision, time);
    }

    /** Returns the size of the segments that the store still needs. Any thread may ask. */
    public long unappliedBytes() {
        return segments.unappliedBytes();
    }

    /** Returns the size of all segments. Any thread may ask. */
    public long bytes() {
        return segments.bytes();
    }

    /** Returns the limit of {@link #bytes} from which on updates are refused. */
    public long maxBytes() {
        return limits.maxBytes();
    }

    /** Returns how long the log keeps updates because clients may repeat their requests. */
    Duration repeats() {
        return limits.repeats();
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
        asked |= origin.address() != null;
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
            abandon();
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
        if (mark.isMissing()) {
            mark.write(durable);
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
            abandon();
            throw failed(e);
        }
        checksum = Records.checksum(batch, 0, batch.position(), checksum);
        batch.clear();
        asked = false;
        written = 0;
        handedBytes = 0;
        handed = last;
        mark.write(last);
        end.reached(LogEnd.open(last, markedRun, OptionalLong.of(checksum)));
        durable = last;
        publishTip();
        if (position > reserved / 4) {
            spare.prepare();
        }
    }

    /** Removes the updates added since the last successful {@link #force} or {@link #write}. */
    public void discard() {
        batch.position(handedBytes);
        last = handed;
        if (written > handedBytes) {
            abandon();
        }
    }

    /** Returns whether an earlier failure left work for {@link #retry}. For the writing thread. */
    public boolean needsRetry() {
        return hindrance != null || mark.isMissing();
    }

    /** Returns whether readers in other processes may miss durable updates at the end. For the writing thread. */
    boolean isMarkOutdated() {
        return mark.isOutdated();
    }

    private StorageException failed(IOException e) {
        hinder(e);
        return new StorageException("the update log cannot be written: " + e.getMessage(), e);
    }

    private void writeBatch(boolean forced) throws IOException {
        DiskFile file = active;
        // Loops twice if the batch does not fit after the updates that the new segment repeats. It always fits into a
        // segment that repeats nothing.
        while (file == null || position + batch.position() - written > reserved) {
            KeptSegment left = file == null ? null : segments.last();
            if (file != null && handedBytes > 0) {
                forceHanded(file);
            }
            giveUp();
            file = begin();
            if (left != null) {
                left.full = true;
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
        KeptSegment current = segments.last();
        if (asked && current != null) {
            segments.asked(current);
        }
    }

    /** Syncs a segment before the log leaves it, so that the next one need not repeat what the operating system has. */
    private void forceHanded(DiskFile file) throws IOException {
        file.force();
        mark.write(handed);
        checksum = Records.checksum(batch, 0, handedBytes, checksum);
        end.reached(LogEnd.open(handed, markedRun, OptionalLong.of(checksum)));
        durable = handed;
        publishTip();
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
            KeptSegment left = segments.last();
            if (left != null) {
                left.sealedMillis = clock.millis();
            }
            closeQuietly(file);
        }
    }

    /** Abandons the active segment, which may have updates that were not synced or are discarded. */
    private void abandon() {
        KeptSegment left = active == null ? null : segments.last();
        if (left != null) {
            remains = new Remains(left.segment, position - written);
        }
        giveUp();
    }

    /**
     * Removes such updates once the next segment has taken their place. If that were lost, they would pass for its
     * content. A segment that begins with the same update has replaced the file.
     */
    private void removeRemains(Segment next) {
        Remains left = remains;
        remains = null;
        if (left != null && left.segment().first() < next.first()) {
            segments.cutOff(left.segment(), left.end());
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
            if (update.revision() > applied()) {
                left.add(update);
            } else {
                checksum = RunningChecksum.after(checksum, update);
            }
        }
        if (left.size() < repeated.size()) {
            repeated = List.copyOf(left);
            // True whether or not the segment can be begun. The epoch may be one that is being entered.
            tip.set(new Tip(firstOfNext() - 1, checksum, tip.get().epoch()));
        }
        Segment segment = Segment.of(firstOfNext());
        ByteBuffer content = content(segment);
        SpareSegment.Blank begun;
        try {
            begun = spare.begin(segment, content, handed);
        } catch (IOException e) {
            unsure = segment;
            failedMillis = now;
            hinder(e);
            throw e;
        }
        hindrance = null;
        OptionalLong before = OptionalLong.of(checksum);
        for (LoggedUpdate update : repeated) {
            checksum = RunningChecksum.after(checksum, update);
        }
        repeated = List.of();
        publishTip();
        removeUnsure(segment);
        KeptSegment kept = new KeptSegment(segment, Math.max(begun.bytes(), content.limit()), before, Long.MAX_VALUE);
        if (content.limit() > Segment.HEADER) {
            segments.asked(kept);
        }
        segments.add(kept);
        forgetEpochFile();
        active = begun.file();
        reserved = begun.bytes();
        position = content.limit();
        written = handedBytes;
        mark.write(durable);
        if (!mark.isMissing()) {
            markedRun = run;
        }
        // The segments end where this one begins, whatever a power cut takes.
        certain = Long.MAX_VALUE;
        hasHistory = true;
        try {
            end.write(reached(Long.MAX_VALUE));
        } catch (IOException e) {
            // Without the note, the loss of this segment could remain unnoticed.
            giveUp();
            failedMillis = now;
            hinder(e);
            throw e;
        }
        removeRemains(segment);
        // An older copy of the folder from before this segment is noticed then, however soon this process ends.
        preparer.execute(this::noteEnd);
        return begun.file();
    }

    // ---- the note ----

    /**
     * Returns what the log has on disk for certain, and not only the store.
     *
     * @param most the last update that can have been acknowledged
     */
    private LogEnd reached(long most) {
        boolean known = hasHistory;
        Tip now = tip.get();
        long least = Math.min(now.revision(), certain);
        return new LogEnd(least, most, markedRun,
                known && least == now.revision() ? OptionalLong.of(now.checksum()) : OptionalLong.empty());
    }

    /** Makes the note about the end of the log durable. Any thread may call it. */
    public void noteEnd() {
        end.force(reached(Long.MAX_VALUE));
    }

    private void forgetEpochFile() {
        if (epochAsked) {
            epochAsked = false;
            try {
                disk.delete(LeaderEpochFile.NAME);
            } catch (IOException e) {
                LOG.warn("{} cannot be deleted ({}); the next start will read it and begin another epoch",
                        disk.describe(LeaderEpochFile.NAME), Reason.of(e));
            }
        }
    }

    /**
     * Begins the next epoch with a new segment: this node leads from now on. For the writing thread, without a batch.
     *
     * @param above the highest epoch number known from other nodes
     * @param lossy whether to give up the updates that are missing from an incomplete log
     * @param branch a random number for the epoch
     * @throws StorageException if the log is not complete, or the segment cannot be begun; the old epoch stays in force
     */
    public void promote(int above, boolean lossy, int branch) throws StorageException {
        Tip end = tip.get();
        if (!lossy && !end.isComplete()) {
            throw new StorageException("this node has the updates up to " + end.revision() + ", and epoch " + epoch
                    + " began after update " + (epoch.first() - 1) + ": promote a node that has them");
        }
        enter(new LeaderEpoch(Math.max(epoch.number(), above) + 1, branch, durable + 1, false));
    }

    /**
     * Enters an epoch of another node with a new segment. For the writing thread, without a batch.
     *
     * @throws StorageException if the segment cannot be begun; the old epoch stays in force
     */
    public void enter(LeaderEpoch next) throws StorageException {
        if (batch.position() > 0) {
            throw new IllegalStateException("updates wait for their sync");
        }
        LeaderEpoch before = epoch;
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
        hindrance = new Hindrance(e instanceof NoRoomException room ? room.obstacle() : Obstacle.FAILURE,
                String.valueOf(e.getMessage()));
    }

    /**
     * Deletes a segment whose beginning failed but that may have its name. Otherwise nothing would count or delete it
     * before the next start.
     */
    private void removeUnsure(Segment begun) {
        Segment other = unsure;
        unsure = null;
        if (other != null && other.first() != begun.first() && segments.get(other.first()) == null) {
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

    // ---- reading ----

    /** Returns a reader that starts at a revision, which must not be released. */
    public LogReader reader(long from) {
        return new LogReader(this, from);
    }

    /**
     * Returns the segment that holds a revision. It is another object after the segment of that name was begun again.
     */
    @Nullable
    KeptSegment segmentOf(long revision) {
        return segments.holding(revision);
    }

    Disk disk() {
        return disk;
    }

    /** As {@link #segmentOf}, after a removal of a segment that goes on. */
    @Nullable
    KeptSegment settledSegmentOf(long revision) {
        return segments.settled(revision);
    }

    /** Returns the number of the storage. */
    public long storageId() {
        return storageId;
    }

    /** Returns the first revision that a reader can start at. Any thread may ask. */
    public long first() {
        return segments.first().orElse(durable + 1);
    }

    /** Returns whether a reader can start at a revision. Any thread may ask. */
    public boolean has(long revision) {
        return revision > durable || segments.holding(revision) != null;
    }

    // ---- what consumers lack ----

    /** Returns the claim of the store. */
    public LogClaim store() {
        return store;
    }

    /**
     * Makes a claim, until it is {@link #release released}. Any thread may call it.
     *
     * @param name the consumer in a word or two
     * @param revision the last revision that it does not need
     */
    public LogClaim claim(String name, LogClaim.Retention retention, long revision) {
        LogClaim claim = new LogClaim(name, retention, revision);
        segments.add(claim);
        return claim;
    }

    /** Ends a claim. Any thread may call it. */
    public void release(LogClaim claim) {
        segments.remove(claim);
    }

    /**
     * Deletes the segments that are neither claimed nor part of the history. For one thread at a time.
     *
     * @param storeBytes size of the store
     * @param more whether so many updates arrive that the segments are soon needed for others; then they stay until a
     *            call without
     */
    public void trim(long storeBytes, boolean more) {
        segments.trim(storeBytes, more);
    }

    /** Closes the files. Updates that were not synced may be lost. */
    @Override
    public void close() {
        giveUp();
        mark.close(handed == durable ? OptionalLong.of(durable) : OptionalLong.empty());
        end.close(reached(handed));
        tip.close();
        spare.close();
    }

    static void closeQuietly(Closeable file) {
        try {
            file.close();
        } catch (IOException e) {
            LOG.debug("closing a file of the log failed", e);
        }
    }
}
