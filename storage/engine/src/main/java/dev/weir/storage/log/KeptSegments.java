package dev.weir.storage.log;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;
import org.jspecify.annotations.Nullable;

/**
 * The segments of a log, and who still needs them. The oldest one goes first, and only when no consumer must find any
 * of its updates. Once it is not part of the history and has no claims, the log deletes it or writes over it. If space
 * is short, it is deleted before.
 *
 * <p>The start and then the writing thread register segments. Any thread may call the other methods.
 */
final class KeptSegments {
    /** No revision. */
    static final long NONE = Long.MAX_VALUE;

    private final Disk disk;
    private final LogLimits limits;
    private final InstantSource clock;
    private final LongSupplier durable;
    private final LongSupplier nanos;
    private final Disk.Action beforeNone;
    private final ConcurrentSkipListMap<Long, KeptSegment> segments = new ConcurrentSkipListMap<>();

    /** Held while the oldest segment is deleted or taken. */
    private final Object oldestLock = new Object();

    /** Whether a deletion may not be on disk yet. Under the lock of the oldest segment. */
    private boolean hasDeleted;

    /** What the store lacks. */
    private final LogClaim store;

    /** What each consumer lacks, the store first. */
    private final List<LogClaim> claims = new CopyOnWriteArrayList<>();

    /** The maximum size of the history beside the store as it is. */
    private volatile long history;

    /**
     * Creates the registry without segments.
     *
     * @param store the claim of the store
     * @param others the claims that count before others can be made
     * @param durable returns the last revision on disk, for messages
     * @param nanos a monotonic clock
     * @param beforeNone runs before the last segment is deleted, so that the log has none
     */
    KeptSegments(Disk disk, LogLimits limits, InstantSource clock, LogClaim store,
            List<LogClaim> others, LongSupplier durable, LongSupplier nanos, Disk.Action beforeNone) {
        this.disk = disk;
        this.limits = limits;
        this.clock = clock;
        this.store = store;
        claims.add(store);
        claims.addAll(others);
        this.durable = durable;
        this.nanos = nanos;
        this.beforeNone = beforeNone;
        this.history = limits.retainBytes();
    }

    /**
     * Registers the segments that a start finds and returns the last epoch. A segment that begins a fresh epoch makes
     * the checksums before it useless.
     */
    LeaderEpoch read(List<Segment> all, long storageId) throws IOException, StorageException {
        LeaderEpoch known = LeaderEpoch.NONE;
        List<KeptSegment> usable = new ArrayList<>();
        KeptSegment before = null;
        for (Segment segment : all) {
            try (PatchedFile file = new PatchedFile(disk.open(segment.name()), disk.describe(segment.name()))) {
                Optional<Segment.Header> header = segment.readHeader(disk, file, storageId);
                if (before != null) {
                    before.sealedMillis = header.map(Segment.Header::created).orElse(clock.millis());
                }
                LeaderEpoch in = header.map(Segment.Header::epoch).orElse(LeaderEpoch.NONE);
                boolean counts = in.number() > 0;
                if (!counts || (in.fresh() && in.first() == segment.first())) {
                    usable.forEach(old -> add(old.withoutChecksum()));
                    usable.clear();
                }
                known = counts && in.number() >= known.number() ? in : known;
                before = new KeptSegment(segment, file.size(),
                        counts ? OptionalLong.of(header.orElseThrow().checksum()) : OptionalLong.empty(),
                        clock.millis());
                add(before);
                if (counts) {
                    usable.add(before);
                }
            }
        }
        // Their times are those of a clock that may have been set since.
        segments.values().forEach(this::asked);
        return known;
    }

    /** Notes that a segment has an update that a client may repeat from now on. */
    void asked(KeptSegment kept) {
        kept.askedNanos = nanos.getAsLong();
        kept.asked = true;
    }

    /** Registers a segment, in place of any of the same name. */
    void add(KeptSegment kept) {
        segments.put(kept.segment.first(), kept);
    }

    /** Releases the space after the last record of a segment. Nothing depends on it. */
    void cutOff(Segment segment, long end) {
        try (DiskFile file = disk.open(segment.name())) {
            if (file.size() > end) {
                file.truncate(end);
                KeptSegment whole = get(segment.first());
                KeptSegment cut = new KeptSegment(segment, end,
                        whole == null ? OptionalLong.empty() : whole.checksum, clock.millis());
                asked(cut);
                add(cut);
            }
        } catch (IOException e) {
            UpdateLog.LOG.debug("{} keeps its length", disk.describe(segment.name()), e);
        }
    }

    /** Makes the checksums useless, because another history begins. */
    void forgetChecksums() {
        segments.replaceAll((_, kept) -> kept.withoutChecksum());
        segments.values().forEach(this::asked);
    }

    /** Returns the segment that begins with a revision. */
    @Nullable
    KeptSegment get(long first) {
        return segments.get(first);
    }

    /** Returns the first revision of all segments; empty without segments. */
    OptionalLong first() {
        Map.Entry<Long, KeptSegment> entry = segments.firstEntry();
        return entry == null ? OptionalLong.empty() : OptionalLong.of(entry.getKey());
    }

    /** Returns the last segment. */
    @Nullable
    KeptSegment last() {
        Map.Entry<Long, KeptSegment> entry = segments.lastEntry();
        return entry == null ? null : entry.getValue();
    }

    /** Returns the segment that holds a revision. */
    @Nullable
    KeptSegment holding(long revision) {
        Map.Entry<Long, KeptSegment> entry = segments.floorEntry(revision);
        return entry == null ? null : entry.getValue();
    }

    /** As {@link #holding}, after a removal of a segment that goes on. */
    @Nullable
    KeptSegment settled(long revision) {
        synchronized (oldestLock) {
            return holding(revision);
        }
    }

    /** Returns the size of all segments. */
    long bytes() {
        return segments.values().stream().mapToLong(kept -> kept.bytes).sum();
    }

    /** Returns the size of the segments that the store still needs. */
    long unappliedBytes() {
        return bytes() - bytesUpTo(store.revision());
    }

    /** Returns the size of the segments with updates after a revision. */
    long bytesAfter(long revision) {
        Long first = segments.floorKey(revision + 1);
        return segments.tailMap(first == null ? 0L : first, true).values().stream().mapToLong(kept -> kept.bytes).sum();
    }

    // ---- who needs them ----

    /** Returns the last revision that the store has. */
    long applied() {
        return store.revision();
    }

    void add(LogClaim claim) {
        claims.add(claim);
    }

    void remove(LogClaim claim) {
        claims.remove(claim);
    }

    /** Returns the claim that must be kept and reaches back furthest; that of the store, if others do not. */
    private LogClaim furthest() {
        LogClaim furthest = store;
        for (LogClaim claim : claims) {
            if (claim.retention().policy() == LogClaim.Policy.MUST_KEEP && claim.revision() < furthest.revision()) {
                furthest = claim;
            }
        }
        return furthest;
    }

    private @Nullable KeptSegment oldestDispensable() {
        Map.Entry<Long, KeptSegment> oldest = segments.firstEntry();
        return oldest != null && endsBy(dispensable(), oldest.getKey()) ? oldest.getValue() : null;
    }

    /** Returns the last revision that no consumer must find. */
    private long dispensable() {
        return furthest().revision();
    }

    private boolean endsBy(long revision, Long first) {
        Long next = segments.higherKey(first);
        return next != null && next <= revision + 1;
    }

    /** Returns the size of the segments without an update after a revision. */
    private long bytesUpTo(long revision) {
        long bytes = 0;
        for (Map.Entry<Long, KeptSegment> entry : segments.entrySet()) {
            if (!endsBy(revision, entry.getKey())) {
                break;
            }
            bytes += entry.getValue().bytes;
        }
        return bytes;
    }

    /** Returns whether a start may need the segment to recognize what clients repeat. */
    private boolean isRepeatable(KeptSegment kept) {
        return kept.asked && nanos.getAsLong() - kept.askedNanos < limits.repeats().toNanos()
                && bytesUpTo(dispensable()) < limits.maxBytes() / 2;
    }

    /** Returns whether the oldest segment is neither part of the history nor claimed. The store has it. */
    private boolean isSurplus(KeptSegment oldest) {
        return !isHeld(oldest) && !isRepeatable(oldest) && (bytesUpTo(dispensable()) > history
                || clock.millis() - oldest.sealedMillis > limits.retain().toMillis());
    }

    private boolean isHeld(KeptSegment kept) {
        Long next = segments.higherKey(kept.segment.first());
        return next == null || claims.stream().anyMatch(claim -> next - 1 > claim.revision()
                && bytesAfter(claim.revision()) <= claim.retention().maxBytes());
    }

    // ---- letting them go ----

    /** As {@link UpdateLog#trim}. */
    void trim(long storeBytes, boolean more) {
        history = limits.historyBytes(storeBytes);
        if (more) {
            return;
        }
        try {
            while (dropSurplus()) {
                // Each call deletes one segment.
            }
        } catch (IOException e) {
            UpdateLog.LOG.warn("an old part of the update log cannot be deleted: {}", Reason.of(e));
        }
    }

    private boolean dropSurplus() throws IOException {
        synchronized (oldestLock) {
            KeptSegment oldest = oldestDispensable();
            if (oldest == null || !isSurplus(oldest)) {
                return false;
            }
            drop(oldest);
            return true;
        }
    }

    /**
     * Takes the oldest segment that is not part of the history, to write over it. Its records stay in the file until
     * others replace them; their revisions tell that they do not count.
     *
     * @param name the new name of the file
     * @return null if there is no such segment, or if a reader has it open
     */
    @Nullable
    DiskFile takeSurplus(String name) {
        synchronized (oldestLock) {
            KeptSegment oldest = oldestDispensable();
            if (oldest == null || !oldest.full || oldest.bytes != limits.segmentBytes() || !isSurplus(oldest)
                    || !oldest.take()) {
                return null;
            }
            try {
                if (!disk.alone(() -> rename(oldest, name))) {
                    oldest.giveBack();
                    return null;
                }
                segments.remove(oldest.segment.first());
                return disk.open(name);
            } catch (IOException e) {
                // It may have either name, so nothing may be written to it.
                UpdateLog.LOG.debug("{} cannot be used again", disk.describe(oldest.segment.name()), e);
                return null;
            }
        }
    }

    private void rename(KeptSegment oldest, String name) throws IOException {
        disk.rename(oldest.segment.name(), name);
        // Otherwise, the old name could come back with the new content after a power cut.
        disk.force();
    }

    /**
     * Ensures that one more segment stays within the limits, and deletes old ones for it.
     *
     * @param first its first revision if it begins now; {@link #NONE} if the last one is still being written
     * @param content the number of bytes that it begins with
     * @param end the last revision in the segments; without {@code first}, it does not matter
     * @throws NoRoomException if the others are still needed
     */
    void makeRoom(long first, int content, long end) throws IOException {
        // Updates that a start found and must write again can be longer than a segment.
        long limit = limits.maxBytes() - Math.max(limits.segmentBytes(), content);
        while (true) {
            KeptSegment old = segments.get(first);
            long bytes = bytes() - (old == null ? 0 : old.bytes);
            if (bytes <= limit && disk.usable() - limits.segmentBytes() >= limits.reserveBytes()) {
                return;
            }
            synchronized (oldestLock) {
                KeptSegment oldest = oldestDispensable();
                if (oldest == null && first != NONE && end <= dispensable()) {
                    // This is the last segment. It is complete, and no reader requires any of it.
                    oldest = segments.isEmpty() ? null : segments.firstEntry().getValue();
                    if (oldest != null) {
                        beforeNone.run();
                    }
                }
                if (oldest == null) {
                    throw bytes > limit
                            ? full(bytes)
                            : new NoRoomException(Obstacle.DISK, "the disk has less than "
                                    + ((limits.reserveBytes() + limits.segmentBytes()) >> 20) + " MiB left");
                }
                drop(oldest);
            }
        }
    }

    private NoRoomException full(long bytes) {
        LogClaim late = furthest();
        return new NoRoomException(late == store ? Obstacle.STORE : Obstacle.REDIS,
                durable.getAsLong() - late.revision() + " updates in " + (bytes >> 20) + " MiB wait for the "
                        + late.name() + ", and " + (limits.maxBytes() >> 20) + " MiB is the maximum");
    }

    /** Deletes a segment. One that cannot be deleted still counts and is tried again. */
    private void drop(KeptSegment kept) throws IOException {
        forceDeletions();
        String name = kept.segment.name();
        try {
            disk.delete(name);
        } catch (IOException e) {
            if (disk.names().contains(name)) {
                throw e;
            }
            UpdateLog.LOG.debug("{} is deleted in spite of a failure", disk.describe(name), e);
        }
        segments.remove(kept.segment.first());
        hasDeleted = true;
        forceDeletions();
    }

    /** Makes a deletion durable before the next one. Otherwise a power cut could take back the earlier one only. */
    private void forceDeletions() throws IOException {
        if (hasDeleted) {
            disk.force();
            hasDeleted = false;
        }
    }
}
