package dev.weir.storage.log;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

import dev.weir.storage.StorageException;

/**
 * What is known about the end of a log from other files than its segments. Segments that are missing, or a folder that
 * is missing or older than the store, leave no trace in the segments that are there.
 *
 * @param forced the mark in the folder
 * @param note the note outside the folder
 * @param kept whether there is a place for the note
 * @param asked what the folder says about the next segment
 */
record KnownEnd(ForcedMark.Forced forced, Optional<LogEnd> note, boolean kept, Optional<LeaderEpochFile> asked) {

    /** Reads the files. The note first: the log writes it after the mark. */
    static KnownEnd read(Disk disk, boolean exists, long storageId, LogEndNote outside)
            throws IOException, StorageException {
        Optional<LogEnd> note = outside.read();
        if (!exists) {
            return new KnownEnd(ForcedMark.Forced.UNKNOWN, note, outside.isKept(), Optional.empty());
        }
        return new KnownEnd(ForcedMark.read(disk, storageId), note, outside.isKept(), LeaderEpochFile.read(disk));
    }

    /** Returns whether the folder is ready for a log that goes on where the hashes beside it end. */
    private boolean isPrepared(List<Segment> segments, long applied) {
        return segments.isEmpty()
                && asked.filter(file -> file.checksum().isPresent() && file.last() == applied).isPresent();
    }

    /** Returns the mark, with the last update that the note names. */
    ForcedMark.Forced mark() {
        return forced.atLeast(note.map(LogEnd::least).orElse(0L));
    }

    /** Returns the number of the last run that is known; 0 for none. */
    long run() {
        return Math.max(0, Math.max(forced.run(), notedRun()));
    }

    /** Returns the number of the run in the note; 0 for none. */
    long notedRun() {
        return note.map(LogEnd::run).orElse(0L);
    }

    /**
     * Returns the loss of unknown extent that an older copy of the folder leaves open: what the later run acknowledged
     * is not in it. A storage notes a run after the mark of the folder has it, so such a mark is that of an older copy.
     *
     * @param scan as in {@link #doubt}
     * @param applied as in {@link #doubt}
     */
    Optional<LogDamage> replaced(ReadableDisk disk, List<Segment> segments, LogScan scan, long applied) {
        long known = Math.max(scan.reached(), applied);
        boolean older = forced.run() >= 0 && forced.run() < notedRun();
        if (!older || segments.isEmpty() || note.orElseThrow().most() <= known) {
            return Optional.empty();
        }
        return Optional.of(new LogDamage(disk.describe(segments.getLast().name()), LogDamage.ABSENT, known + 1, known,
                true));
    }

    /**
     * Returns the loss of unknown extent that a log which ends before the store leaves open: later updates may have
     * been acknowledged. A log that ends where the store does, or later, is complete as far as anything tells.
     *
     * @param segments all segments
     * @param scan the complete scan of those that the store needs
     * @param applied the last revision of the store
     */
    Optional<LogDamage> doubt(ReadableDisk disk, List<Segment> segments, LogScan scan, long applied) {
        long end = segments.isEmpty() ? 0 : Math.max(scan.greatest(), segments.getLast().first() - 1);
        long known = Math.max(scan.reached(), applied);
        boolean behind = segments.isEmpty() || end < applied;
        boolean exact = forced.isExact() && forced.revision() >= applied && !(segments.isEmpty() && hadMore(known));
        boolean complete = exact
                || (note.isPresent() ? explains(end, known, segments) : segments.isEmpty() && known == 0);
        if (!kept || !behind || complete || isPrepared(segments, applied)) {
            return Optional.empty();
        }
        return Optional.of(new LogDamage(disk.describe(segments.isEmpty() ? "" : segments.getLast().name()),
                LogDamage.ABSENT, known + 1, known, true));
    }

    /**
     * Returns whether a stopped log had updates after a revision, which may have been acknowledged before their sync.
     * The mark does not tell of these.
     */
    private boolean hadMore(long known) {
        return note.filter(end -> end.most() < Long.MAX_VALUE && end.most() > known).isPresent();
    }

    /** Returns whether the note explains why the log ends before the store. */
    private boolean explains(long end, long known, List<Segment> segments) {
        LogEnd noted = note.orElseThrow();
        // With acknowledgments before the sync, a crash of the machine leaves less in the log than in the store.
        return noted.most() <= known || (!segments.isEmpty() && noted.least() <= end);
    }
}
