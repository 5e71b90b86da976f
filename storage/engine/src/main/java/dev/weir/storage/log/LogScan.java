package dev.weir.storage.log;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

import dev.weir.storage.StorageException;

/**
 * A reader of a log after a crash. It returns every update in order of revision, and distinguishes updates that were in
 * progress from lost ones.
 *
 * <b>The rules.</b> Any parts of the batch in progress may have reached the disk, in any order. Its sync was not
 * complete, so the scan leaves out everything after its first gap. A gap before that batch is damage. The scan tells
 * the two apart by later records and segments, which contain the last revision that was settled, that is on disk, when
 * they were written. A segment begins with revision n if everything before n is settled, or if writing n into the
 * previous segment failed. So the scan leaves out what a segment contains from the first revision of the next segment
 * on.
 *
 * <p>A refused batch that could not be cut off has the revisions of updates that the next segment got. If that segment
 * is lost, the batch would count instead. So the running checksum of what was read must be that in the header of the
 * segment that follows.
 *
 * <p>If the disk fails to read a part, its content is unknown. Such a part never counts as the end of the log, unless
 * the {@link ForcedMark} says that the log ends before it.
 */
final class LogScan {
    private final ReadableDisk disk;
    private final long storageId;
    private final long applied;
    private final ForcedMark.Forced forced;
    private final RecordFilter filter;
    private final Consumer<LoggedUpdate> target;
    private final List<LogDamage> damages = new ArrayList<>();

    /** Records after a gap that are not yet known to be settled. */
    private final Deque<LoggedUpdate> doubtful = new ArrayDeque<>();

    /** Returned updates that are not yet known to be settled. */
    private final Deque<LoggedUpdate> unconfirmed = new ArrayDeque<>();
    private long reached;
    private long greatest;
    private String gapFile = "";
    private long gapPosition;

    /**
     * Whether the disk fails to read the beginning of the first gap; the next field, the end of the last record found.
     */
    private boolean gapUnread;
    private boolean endUnread;
    private String endFile = "";
    private long endPosition;

    /** The running checksum up to {@link #reached}; empty if it is not known. The next field: where it began. */
    private OptionalLong checksum = OptionalLong.empty();
    private Optional<Segment> checked = Optional.empty();

    /** What the note says of the updates up to a revision, until they are compared. */
    private Optional<LogEnd> expected = Optional.empty();

    /**
     * Creates a scan.
     *
     * @param applied the last revision of the store; nothing up to it is missed
     * @param forced the mark of the log
     * @param target receives the sound updates, also below {@code applied}
     */
    LogScan(ReadableDisk disk, long storageId, long applied, ForcedMark.Forced forced,
            Consumer<LoggedUpdate> target) {
        this(disk, storageId, applied, forced, RecordFilter.ALL, target);
    }

    /**
     * Creates a scan for some updates.
     *
     * @param filter a hint which updates to leave out; the target may still get some that it does not match
     */
    LogScan(ReadableDisk disk, long storageId, long applied, ForcedMark.Forced forced, RecordFilter filter,
            Consumer<LoggedUpdate> target) {
        this.disk = disk;
        this.storageId = storageId;
        this.applied = applied;
        this.forced = forced;
        this.filter = filter;
        this.target = target;
    }

    /**
     * Sets the note with which the updates are compared, by their running checksum. A copy of the log may have updates
     * that were refused after the copy was made, in the place of those that were acknowledged.
     */
    void expect(Optional<LogEnd> note) {
        expected = note.filter(end -> end.checksum().isPresent());
    }

    /**
     * Reads consecutive segments.
     *
     * @throws StorageException if a segment belongs to another storage or has a newer format
     */
    void run(List<Segment> segments) throws IOException, StorageException {
        run(segments, Long.MAX_VALUE);
    }

    /** Reads consecutive segments up to a revision; everything after it is ignored. */
    void run(List<Segment> segments, long until) throws IOException, StorageException {
        if (segments.isEmpty()) {
            reached = applied;
            gapFile = disk.describe("");
            gapPosition = LogDamage.ABSENT;
            end(until);
            return;
        }
        reached = segments.getFirst().first() - 1;
        gapFile = disk.describe(segments.getFirst().name());
        if (reached > applied) {
            damages.add(new LogDamage(gapFile, 0, applied + 1, reached));
        }
        for (int i = 0; i < segments.size(); i++) {
            boolean last = i == segments.size() - 1;
            scan(segments.get(i), last ? Long.MAX_VALUE : segments.get(i + 1).first(), until);
        }
        end(until);
    }

    private void end(long until) {
        compareWithNote();
        settle(Math.min(forced.revision(), until));
        if (forced.isExact() || reached >= until) {
            return;
        }
        if (gapUnread && !doubtful.isEmpty()) {
            settle(doubtful.getLast().revision());
        }
        if (endUnread && doubtful.isEmpty()) {
            long known = Math.max(reached, applied);
            damages.add(new LogDamage(endFile, endPosition, known + 1, known, true));
        }
    }

    /** Returns the revision that everything readable reaches. */
    long reached() {
        return reached;
    }

    /** Returns the greatest revision found, whether it counts or not. */
    long greatest() {
        return greatest;
    }

    /** Returns the lost updates, in order. */
    List<LogDamage> damages() {
        return damages;
    }

    /**
     * Returns the last of the returned updates that only their own batch could confirm as settled. At most one batch.
     */
    List<LoggedUpdate> unconfirmed() {
        return List.copyOf(unconfirmed);
    }

    /** Returns the number of updates left out because nothing confirms them. */
    int doubtful() {
        return doubtful.size();
    }

    /** Returns the byte of the last segment at which the returned updates end. */
    long end() {
        return gapPosition;
    }

    /** Reads a segment up to the superseded part, and up to a revision. */
    private void scan(Segment segment, long superseded, long until) throws IOException, StorageException {
        String name = disk.describe(segment.name());
        long behind = until < superseded ? until + 1 : superseded;
        try (PatchedFile file = new PatchedFile(disk.open(segment.name()), name)) {
            Optional<Segment.Header> header = segment.readHeader(disk, file, storageId);
            if (header.isEmpty() && !file.misses(0, Segment.HEADER)) {
                damages.add(new LogDamage(name, 0, segment.first(), segment.first() - 1));
            }
            compare(segment, header);
            SegmentCursor cursor = new SegmentCursor(file, storageId, segment.first(), Segment.HEADER);
            markGap(name, Segment.HEADER);
            while (reached < until && (next(name, file, cursor) || cursor.search())) {
                take(name, cursor, behind);
            }
        }
        if (superseded != Long.MAX_VALUE) {
            settle(behind - 1);
        }
    }

    /** Compares the updates before a segment with its header. */
    private void compare(Segment segment, Optional<Segment.Header> header) {
        OptionalLong before = header.filter(content -> content.epoch().number() > 0)
                .map(content -> OptionalLong.of(content.checksum())).orElse(OptionalLong.empty());
        boolean follows = header.filter(content -> content.epoch().fresh()
                && content.epoch().first() == segment.first()).isEmpty();
        if (follows && before.isPresent() && reached == segment.first() - 1) {
            compare(before);
        }
        if (!follows && expected.filter(end -> end.least() == segment.first() - 1).isPresent()) {
            // The run that begins another history may have ended before it could note that.
            expected = Optional.empty();
        } else if (checksum.isPresent()) {
            compareWithNote();
        }
        checksum = before;
        checked = Optional.of(segment);
    }

    /** Compares the updates up to the last one with the note, before the next one counts. */
    private void compareWithNote() {
        if (expected.isPresent() && expected.get().least() <= reached) {
            if (expected.get().least() == reached) {
                compare(expected.get().checksum());
            }
            expected = Optional.empty();
        }
    }

    private void compare(OptionalLong wanted) {
        if (checksum.isEmpty() || checksum.equals(wanted) || !doubtful.isEmpty() || reached <= applied) {
            return;
        }
        Segment from = checked.orElseThrow();
        long first = Math.max(applied, from.first() - 1) + 1;
        // Without the updates before a segment, its checksum is of a later one.
        if (first <= reached) {
            damages.add(new LogDamage(disk.describe(from.name()), LogDamage.ABSENT, first, reached));
        }
    }

    private boolean next(String name, PatchedFile file, SegmentCursor cursor) throws IOException {
        if (cursor.next()) {
            return true;
        }
        endFile = name;
        endPosition = cursor.position();
        endUnread = file.misses(endPosition, cursor.claimedEnd());
        if (doubtful.isEmpty()) {
            gapUnread = endUnread;
        }
        return false;
    }

    private void take(String name, SegmentCursor cursor, long superseded) throws StorageException {
        if (!cursor.isKnown()) {
            throw new StorageException(name + " holds a record at byte " + cursor.position()
                    + " of a version that this program does not know; it was written by a newer weir: use that one");
        }
        long revision = cursor.revision();
        if (revision >= superseded) {
            return;
        }
        greatest = Math.max(greatest, revision);
        compareWithNote();
        settle(Math.min(cursor.settled(), revision - 1));
        if (doubtful.isEmpty() && reached < revision - 1 && revision - 1 <= applied) {
            // The store has the updates before it.
            reached = revision - 1;
            checksum = OptionalLong.empty();
        }
        if (revision == reached + 1 && doubtful.isEmpty()) {
            reached = revision;
            if (cursor.isWanted(filter)) {
                LoggedUpdate update = cursor.update();
                if (checksum.isPresent()) {
                    checksum = OptionalLong.of(RunningChecksum.after(checksum.getAsLong(), update));
                }
                unconfirmed.add(update);
                target.accept(update);
            } else {
                checksum = OptionalLong.empty();
            }
            markGap(name, cursor.end());
        } else if (revision > reached) {
            doubtful.add(cursor.update());
        }
    }

    private void markGap(String name, long position) {
        if (doubtful.isEmpty()) {
            gapFile = name;
            gapPosition = position;
        }
    }

    /** Records that everything up to {@code revision} was on disk. */
    private void settle(long revision) {
        while (!unconfirmed.isEmpty() && unconfirmed.getFirst().revision() <= revision) {
            unconfirmed.removeFirst();
        }
        while (!doubtful.isEmpty() && doubtful.getFirst().revision() <= revision) {
            LoggedUpdate next = doubtful.removeFirst();
            miss(next.revision() - 1);
            if (next.revision() == reached + 1) {
                reached = next.revision();
                checksum = OptionalLong.empty();
                target.accept(next);
            }
        }
        miss(revision);
    }

    private void miss(long last) {
        if (last > reached) {
            if (last > applied) {
                damages.add(new LogDamage(gapFile, gapPosition, Math.max(reached, applied) + 1, last));
            }
            reached = last;
            checksum = OptionalLong.empty();
        }
    }
}
