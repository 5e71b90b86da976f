package dev.weir.storage.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An append-only log of updates in segments, with group commit.
 *
 * <p>One thread writes: it {@link #add adds} updates to a batch and {@link #force forces} it, which is when they count.
 * Another one may read with a {@link LogReader} what was forced, and {@link #release release} what is no longer needed.
 *
 * <p>A segment is filled with zeros before it is used, so that forcing a batch writes data and nothing else: no length,
 * no block map. When a write or a force fails, it is unknown what of it is on disk; the segment is then abandoned, and
 * the next one begins with the first revision that is not known to be there, which tells every later reader to stop
 * before it. No byte of a record is ever changed: the block that a batch ended in is written again with the next one,
 * with the same beginning.
 *
 * <p>The last batch that a start finds may be in memory only: its process may have died before it was forced, or after
 * that failed, and then Linux says at the next attempt that all is well while nothing is written. So a start does not
 * trust it, and repeats it in a segment of its own.
 */
public final class UpdateLog implements AutoCloseable {
    static final Logger LOG = LoggerFactory.getLogger(UpdateLog.class);

    /** Name under which the next segment is made ready. */
    private static final String SPARE = "spare.tmp";
    private static final int FILL = 1 << 20;

    /** Bytes of records between two forces. */
    private static final int MAX_BATCH = 1 << 20;

    /** No revision. */
    private static final long NONE = Long.MAX_VALUE;

    /** How long a failure to begin a segment stands before it is tried again. */
    private static final long RETRY_MILLIS = 1_000;

    private final Disk disk;
    private final LogLimits limits;
    private final long storageId;
    private final InstantSource clock;
    private final Executor preparer;
    private final Records records;
    private final ByteBuffer batch;
    private final ConcurrentSkipListMap<Long, Kept> segments = new ConcurrentSkipListMap<>();

    /** Held while the next segment is made and while it becomes a segment: both are about one file name. */
    private final Object spareLock = new Object();
    private final AtomicBoolean preparing = new AtomicBoolean();
    private volatile @Nullable DiskFile spare;
    private volatile long durable;
    private volatile long applied;
    private volatile boolean closed;

    private volatile long handed;

    // Only for the writing thread.
    private long last;
    /** Bytes of the batch that the active segment has, and that the operating system was given for good. */
    private int written;
    private int handedBytes;
    private @Nullable DiskFile active;
    private @Nullable Segment unsure;
    private @Nullable ForcedMark mark;
    private boolean unmarked;
    /**
     * Whether the mark that readers find is older than {@link #durable}, since it could be neither written nor deleted.
     */
    private boolean markOutdated;
    private long position;
    private long failedMillis;

    /** Why the last attempt to begin a segment, or to write to one, failed; for all threads. */
    private volatile @Nullable Hindrance hindrance;

    /** The last updates before {@link #durable}, which the next segment repeats; mostly none. */
    private volatile List<LoggedUpdate> repeated = List.of();

    /**
     * Why the log takes no updates.
     *
     * @param detail for the operator
     */
    public record Hindrance(Obstacle obstacle, String detail) {}

    /** An error that is no failure of a file. */
    private static final class NoRoomException extends IOException {
        private static final long serialVersionUID = 1L;

        private final Obstacle obstacle;

        NoRoomException(Obstacle obstacle, String message) {
            super(message);
            this.obstacle = obstacle;
        }
    }

    /** A segment and what is known of it besides. */
    static final class Kept {
        final Segment segment;
        final long bytes;
        volatile long sealedMillis;

        Kept(Segment segment, long bytes, long sealedMillis) {
            this.segment = segment;
            this.bytes = bytes;
            this.sealedMillis = sealedMillis;
        }
    }

    private UpdateLog(Disk disk, LogLimits limits, long storageId, InstantSource clock, Executor preparer) {
        this.disk = disk;
        this.limits = limits;
        this.storageId = storageId;
        this.records = new Records(storageId);
        this.clock = clock;
        this.preparer = preparer;
        this.batch = Records.buffer(Math.min(MAX_BATCH, limits.segmentBytes() - Segment.HEADER));
    }

    /**
     * Opens the log of a folder, or begins one.
     *
     * @param storageId of the storage that it must belong to
     * @param applied revision up to which the backend has everything
     * @param preparer runs the making of the next segment, which takes a fraction of a second
     * @param replay receives every update behind {@code applied}, in order; before those perhaps some that the backend
     *            has already
     * @throws LogDamagedException if acknowledged updates cannot be read
     * @throws StorageException if files cannot be read or written, or belong to another storage or a newer weir
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

    private void recover(long backend, Consumer<LoggedUpdate> replay) throws IOException, StorageException {
        List<Segment> all = Segment.among(disk.names());
        disk.delete(SPARE);
        LogScan scan = new LogScan(disk, storageId, backend, ForcedMark.read(disk, storageId), replay);
        scan.run(needed(all, backend));
        if (!scan.damages().isEmpty()) {
            throw new LogDamagedException(scan.damages());
        }
        if (scan.doubtful() > 0) {
            LOG.info("{} updates at the end of the log were never on disk completely and are left out",
                    scan.doubtful());
        }
        Kept before = null;
        for (Segment segment : all) {
            try (PatchedFile file = new PatchedFile(disk.open(segment.name()), disk.describe(segment.name()))) {
                long created = segment.readHeader(disk, file, storageId).orElse(clock.millis());
                if (before != null) {
                    before.sealedMillis = created;
                }
                before = new Kept(segment, file.size(), clock.millis());
                segments.put(segment.first(), before);
            }
        }
        applied = backend;
        durable = Math.max(scan.reached(), backend);
        last = durable;
        handed = durable;
        repeated = scan.unconfirmed().stream().filter(update -> update.revision() > backend).toList();
        long first = firstOfNext();
        try {
            begin();
        } catch (IOException e) {
            // Checks can be answered without it; updates are refused until it succeeds.
            LOG.error("updates cannot be accepted yet: {}", e.getMessage(), e);
            // Until then nothing is written, and readers find what is there without it.
            disk.delete(ForcedMark.NAME);
            if (!repeated.isEmpty()) {
                // The best that can be done for them until then.
                forceInPlace(all.getLast());
            }
            return;
        }
        if (!all.isEmpty() && all.getLast().first() < first && scan.end() >= Segment.HEADER) {
            cutOff(all.getLast(), scan.end());
        }
    }

    private void forceInPlace(Segment segment) throws IOException {
        try (DiskFile file = disk.open(segment.name())) {
            file.force();
        }
        // Its name may be as new as its content, when a start before this one came that far.
        disk.force();
    }

    static List<Segment> needed(List<Segment> all, long applied) {
        int from = 0;
        while (from + 1 < all.size() && all.get(from + 1).first() <= applied + 1) {
            from++;
        }
        return all.subList(from, all.size());
    }

    /** Gives back the room behind the last record. Nothing depends on it. */
    private void cutOff(Segment segment, long end) {
        try (DiskFile file = disk.open(segment.name())) {
            if (file.size() > end) {
                file.truncate(end);
                segments.put(segment.first(), new Kept(segment, end, clock.millis()));
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

    /** Returns the last revision that {@link #release} was told of. Any thread may ask. */
    public long applied() {
        return applied;
    }

    /**
     * The last revision that every later start will find. It is before {@link #durable} only if the last updates that a
     * start found could not be written again yet. Any thread may ask.
     */
    public long confirmed() {
        long last = durable;
        List<LoggedUpdate> doubtful = repeated;
        return doubtful.isEmpty() ? last : Math.min(last, doubtful.getFirst().revision() - 1);
    }

    /** Bytes of the segments that the backend still needs. Any thread may ask. */
    public long unappliedBytes() {
        return bytes() - appliedBytes();
    }

    /** Bytes of all segments. Any thread may ask. */
    public long bytes() {
        return segments.values().stream().mapToLong(kept -> kept.bytes).sum();
    }

    /** Returns the limit of {@link #bytes}, from which on updates are refused. */
    public long maxBytes() {
        return limits.maxBytes();
    }

    /** What has to stay free on the disk so that updates are not refused: the reserve, and this file and the next. */
    public long spareBytes() {
        return limits.reserveBytes() + 2L * limits.segmentBytes();
    }

    /** Why it takes no updates; empty if it takes them. Any thread may ask. */
    public Optional<Hindrance> hindrance() {
        return Optional.ofNullable(hindrance);
    }

    // ---- writing ----

    /** How many more updates fit into the batch, at least. */
    public int room() {
        return batch.remaining() / Records.MAX;
    }

    /**
     * Adds an update to the batch. It counts after the next {@link #force}.
     *
     * @return its revision
     * @throws IllegalStateException if there is no room
     */
    public long add(UpdateOrigin origin, Update update) {
        return add(clock.millis(), origin, update);
    }

    /** Returns the same for an update that was accepted at another time. */
    long add(long millis, UpdateOrigin origin, Update update) {
        if (room() == 0) {
            throw new IllegalStateException("the batch is full");
        }
        last++;
        records.encode(new LoggedUpdate(last, millis, origin, update), durable, batch);
        return last;
    }

    /**
     * Hands the batch to the operating system, which survives the end of this process but not that of the machine.
     *
     * @throws StorageException if that failed; the batch is still there, to be written again, or to be {@link #discard
     *             discarded} as far as it was not handed over before
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
     * Begins the next segment where an earlier attempt failed, so that the log is ready when an update comes and it is
     * known whether it can take one; writes the mark for other processes where that failed. Does nothing otherwise.
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
     * Brings the batch to the disk.
     *
     * @throws StorageException if that failed; the batch is still there, to be forced again or {@link #discard
     *             discarded}
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
        batch.clear();
        written = 0;
        handedBytes = 0;
        handed = last;
        say(last);
        durable = last;
        if (position > limits.segmentBytes() / 4 && spare == null && preparing.compareAndSet(false, true)) {
            preparer.execute(this::prepare);
        }
    }

    /** Forgets the updates that were added since the last {@link #force} or {@link #write} that succeeded. */
    public void discard() {
        batch.position(handedBytes);
        last = handed;
        if (written > handedBytes) {
            giveUp();
        }
    }

    /** Returns whether an earlier failure left something for {@link #retry} to do. For the writing thread. */
    public boolean needsRetry() {
        return hindrance != null || unmarked;
    }

    /** Returns whether readers in other processes may miss acknowledged updates at the end. For the writing thread. */
    boolean isMarkOutdated() {
        return markOutdated;
    }

    /** Tells readers in other processes. Without a mark, they read to the end of the log. */
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

    /** No mark is better than an old one, which hides from readers what was acknowledged since. */
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
        }
    }

    private StorageException failed(IOException e) {
        hinder(e);
        return new StorageException("the update log cannot be written: " + e.getMessage(), e);
    }

    private void writeBatch(boolean forced) throws IOException {
        DiskFile file = active;
        // Twice when it does not fit behind what the new one repeats; it always fits into one that repeats nothing.
        while (file == null || position + batch.position() - written > limits.segmentBytes()) {
            if (file != null && handedBytes > 0) {
                forceHanded(file);
            }
            giveUp();
            file = begin();
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

    /** Before the segment is left: what was handed over need not be written again to the next one. */
    private void forceHanded(DiskFile file) throws IOException {
        file.force();
        say(handed);
        durable = handed;
        batch.flip().position(handedBytes);
        batch.compact();
        written -= handedBytes;
        handedBytes = 0;
    }

    /** Leaves the active segment as it is: the next one says up to where it counts. */
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

    /** Begins the segment of the first revision that is not on disk, or not surely. */
    private DiskFile begin() throws IOException {
        long now = clock.millis();
        Hindrance before = hindrance;
        if (before != null && now >= failedMillis && now - failedMillis < RETRY_MILLIS) {
            // Making files on a full disk over and over would only slow everything else down.
            throw new NoRoomException(before.obstacle(), before.detail());
        }
        repeated = repeated.stream().filter(update -> update.revision() > applied).toList();
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
        repeated = List.of();
        removeUnsure(segment);
        segments.put(segment.first(),
                new Kept(segment, Math.max(limits.segmentBytes(), content.limit()), Long.MAX_VALUE));
        active = file;
        position = content.limit();
        written = handedBytes;
        say(durable);
        return file;
    }

    private void hinder(IOException e) {
        hindrance = new Hindrance(e instanceof NoRoomException room ? room.obstacle : Obstacle.FAILURE,
                String.valueOf(e.getMessage()));
    }

    /**
     * One whose beginning failed may have its name all the same: nothing would count it or delete it before the next
     * start.
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
     * What a segment begins with. What was handed over and not forced is in the segment before, of which nothing counts
     * any more as soon as this one has its name.
     */
    private ByteBuffer content(Segment segment) {
        ByteBuffer content = Records.buffer(Segment.HEADER + repeated.size() * Records.MAX + handedBytes);
        content.put(segment.header(storageId, clock.millis()));
        repeated.forEach(update -> records.encode(update, segment.first() - 1, content));
        content.put(batch.duplicate().flip().limit(handedBytes));
        return content.flip();
    }

    private DiskFile ready(Segment segment, ByteBuffer content) throws IOException {
        DiskFile file = spare;
        spare = null;
        if (file == null) {
            makeRoom(segment.first());
            file = fill();
        }
        try {
            file.writeFully(content.duplicate(), 0);
            file.force();
            disk.rename(SPARE, segment.name());
            disk.force();
            file.close();
            // By the name that it keeps, under which the file can be opened in another way, too.
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
                    makeRoom(NONE);
                    spare = fill();
                }
            }
        } catch (IOException e) {
            // Not yet a reason to refuse anything: the active segment has room, and its end tries again.
            LOG.debug("the next segment cannot be made yet", e);
        } finally {
            preparing.set(false);
        }
    }

    /** Makes sure that one more segment keeps the limits; {@code first} is where it begins, if that is now. */
    private void makeRoom(long first) throws IOException {
        long limit = limits.maxBytes() - limits.segmentBytes();
        while (true) {
            Kept old = segments.get(first);
            long bytes = bytes() - (old == null ? 0 : old.bytes);
            if (bytes <= limit && disk.usable() - limits.segmentBytes() >= limits.reserveBytes()) {
                return;
            }
            Kept oldest = oldestApplied();
            if (oldest == null && first != NONE && handed <= applied) {
                // The last one: nothing is written to it any more, and the backend has all of it.
                oldest = segments.isEmpty() ? null : segments.firstEntry().getValue();
            }
            if (oldest == null) {
                throw bytes > limit
                        ? new NoRoomException(Obstacle.DATABASE, durable - applied + " updates in " + (bytes >> 20)
                                + " MiB wait for the database, and " + (limits.maxBytes() >> 20) + " MiB is the most")
                        : new NoRoomException(Obstacle.DISK, "the disk has less than "
                                + ((limits.reserveBytes() + limits.segmentBytes()) >> 20) + " MiB left");
            }
            drop(oldest);
        }
    }

    private DiskFile fill() throws IOException {
        disk.delete(SPARE);
        DiskFile file = disk.create(SPARE);
        try {
            ByteBuffer zeros = Records.buffer(Math.min(FILL, limits.segmentBytes()));
            for (long at = 0; at < limits.segmentBytes(); at += zeros.capacity()) {
                zeros.clear().limit((int) Math.min(zeros.capacity(), limits.segmentBytes() - at));
                file.writeFully(zeros, at);
                // In pieces, so that a batch that is being forced meanwhile does not wait for all of it.
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

    // ---- reading and letting go ----

    /** Reads from a revision on, which must not be released. */
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

    long storageId() {
        return storageId;
    }

    /**
     * Says that the backend has everything up to a revision. Segments that are not needed for anything else are
     * deleted. For one thread at a time.
     */
    public void release(long revision) {
        applied = revision;
        long now = clock.millis();
        try {
            while (true) {
                Kept oldest = oldestApplied();
                if (oldest == null || (appliedBytes() <= limits.retainBytes()
                        && now - oldest.sealedMillis <= limits.retain().toMillis())) {
                    return;
                }
                drop(oldest);
            }
        } catch (IOException e) {
            LOG.warn("an old part of the update log cannot be deleted: {}", e.getMessage());
        }
    }

    private @Nullable Kept oldestApplied() {
        Map.Entry<Long, Kept> oldest = segments.firstEntry();
        return oldest != null && isApplied(oldest.getKey()) ? oldest.getValue() : null;
    }

    private boolean isApplied(Long first) {
        Long next = segments.higherKey(first);
        return next != null && next <= applied + 1;
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
        // In this order: what could not be deleted still counts, and is tried again.
        disk.delete(kept.segment.name());
        segments.remove(kept.segment.first());
    }

    /** Closes the files. What was not forced is not promised. */
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
            // The one that is there goes on saying what is true.
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
