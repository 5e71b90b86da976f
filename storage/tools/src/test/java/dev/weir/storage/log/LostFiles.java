package dev.weir.storage.log;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

import dev.weir.storage.StorageException;

/**
 * A test that loses one file of a copy of a storage, its whole log or its whole store, cuts a file, or puts an older
 * copy in the place of log, store or folder, and starts there. The start has the same hashes as without the loss, or is
 * refused with a sentence that names what is missing. An older folder has what it had then.
 */
final class LostFiles {
    private final SplittableRandom random;
    private final Faults faults;
    private Optional<Older> older = Optional.empty();

    /** The log as it was in the run that is about to end. */
    private Optional<SimulatedDisk> running = Optional.empty();

    LostFiles(SplittableRandom random, Map<Fault, Long> counts) {
        this.random = random;
        this.faults = new Faults(random, counts);
    }

    /** A start of a storage on copies of its disks. */
    @FunctionalInterface
    interface Start {
        /**
         * Starts.
         *
         * @param note the note about the end of the log
         * @throws StorageException if it does not start
         */
        Found on(SimulatedDisk log, SimulatedDisk store, Optional<LogEnd> note) throws StorageException;
    }

    /**
     * What a start finds.
     *
     * @param hashes the hashes
     * @param revision the last update
     */
    record Found(StoreFlips.Started hashes, long revision) {
        /** Returns whether two starts differ only in updates after the mark, for which no client got a reply. */
        boolean differsOnlyAfter(long mark, Found other) {
            return Math.min(revision, other.revision) >= mark && Math.max(revision, other.revision) > mark;
        }
    }

    /** A storage as it was at an earlier stop. */
    private record Older(SimulatedDisk log, SimulatedDisk store, Optional<LogEnd> note, Found found) {}

    /**
     * Runs with a certain probability.
     *
     * @param note the note about the end of the log
     */
    void tryOn(SimulatedDisk log, SimulatedDisk store, Optional<LogEnd> note, Start start) {
        if (random.nextInt(3) > 0 || !store.fileNames().contains(NamedSlots.MANIFEST)) {
            return;
        }
        Found sound;
        try {
            sound = start.on(log.copy(faults), store.copy(faults), note);
        } catch (StorageException e) {
            throw new AssertionError("a sound storage does not start", e);
        }
        boolean first = older.isEmpty();
        if (first) {
            keepForLater(log, store, note, sound);
        }
        LogEnd noted = note.orElse(LogEnd.closed(0));
        SimulatedDisk logLeft = log.copy(faults);
        SimulatedDisk storeLeft = store.copy(faults);
        Optional<LogEnd> noteLeft = note;
        // The end of a log that was not closed may have updates that no client was told of.
        ForcedMark.Forced mark = ForcedMark.read(logLeft, SimulatedBackend.ID);
        boolean closed = mark.state() == ForcedMark.State.CLOSED;
        String lost;
        List<Segment> segments = Segment.among(logLeft.fileNames());
        switch (random.nextInt(10)) {
            case 0 -> {
                lost = "all segments";
                segments.forEach(segment -> logLeft.lose(segment.name()));
            }
            case 1 -> {
                lost = "the whole log";
                logLeft.fileNames().forEach(logLeft::lose);
            }
            case 2 -> {
                lost = "the whole store";
                storeLeft.fileNames().forEach(storeLeft::lose);
            }
            case 3 -> {
                List<String> files = storeLeft.fileNames();
                lost = files.get(random.nextInt(files.size()));
                storeLeft.lose(lost);
            }
            case 4 -> {
                lost = "the note";
                noteLeft = Optional.empty();
            }
            case 5 -> {
                List<String> files = storeLeft.fileNames().stream().filter(name -> storeLeft.size(name) > 0).toList();
                lost = files.get(random.nextInt(files.size()));
                storeLeft.cut(lost, random.nextInt(storeLeft.size(lost)));
            }
            case 6, 7 -> {
                if (first) {
                    return;
                }
                tryOlder(start, log, store, note, sound, told(log, note));
                return;
            }
            default -> {
                List<String> files = logLeft.fileNames().stream()
                        .filter(name -> closed || segments.isEmpty() || !name.equals(segments.getLast().name()))
                        .toList();
                if (files.isEmpty()) {
                    return;
                }
                lost = files.get(random.nextInt(files.size()));
                logLeft.lose(lost);
            }
        }
        // Refused updates may be in a log whose mark could not be closed (seed 975 with a mirror); the note knows the
        // end.
        tryWithout(lost, start, logLeft, storeLeft, noteLeft, sound, closed ? mark.revision() : noted.most());
    }

    private void keepForLater(SimulatedDisk log, SimulatedDisk store, Optional<LogEnd> note, Found sound) {
        older = Optional.of(new Older(log.copy(faults), store.copy(faults), note, sound));
    }

    /** Copies the log of a storage that runs, with a certain probability. */
    void keepLog(SimulatedDisk log) {
        if (random.nextInt(20) == 0) {
            running = Optional.of(log.copy(faults));
        }
    }

    /** Puts the copy in the place of the log that its own run has left. */
    void tryLogOfSameRun(SimulatedDisk log, SimulatedDisk store, Optional<LogEnd> note, Start start) {
        if (running.isEmpty() || !store.fileNames().contains(NamedSlots.MANIFEST)) {
            return;
        }
        SimulatedDisk copy = running.get();
        running = Optional.empty();
        Found sound;
        try {
            sound = start.on(log.copy(faults), store.copy(faults), note);
        } catch (StorageException e) {
            throw new AssertionError("a sound storage does not start", e);
        }
        tryLog(start, copy, store.copy(faults), note, sound, told(log, note));
    }

    /**
     * Returns the last update that something outside the log tells of: after a stop or a kill, what the mark of the log
     * has. A start may find more: updates whose sync failed just before the stop, and which no client was told of (seed
     * 2276).
     */
    private static long told(SimulatedDisk log, Optional<LogEnd> note) {
        ForcedMark.Forced mark = ForcedMark.read(log, SimulatedBackend.ID);
        return mark.isExact() ? mark.revision() : note.map(LogEnd::least).orElse(0L);
    }

    private void tryLog(Start start, SimulatedDisk log, SimulatedDisk store, Optional<LogEnd> note, Found sound,
            long told) {
        try {
            Found now = start.on(log, store, note);
            faults.note(Fault.OLDER_COPY_WITHOUT_EFFECT);
            // The copy may have updates that were refused later, and cut off.
            Ledger.check(now.hashes().equals(sound.hashes()) || sound.differsOnlyAfter(told, now),
                    "with an older log of the same run it starts with %s instead of %s", now, sound);
        } catch (StorageException e) {
            faults.note(Fault.OLDER_COPY_REFUSED);
            String message = String.valueOf(e.getMessage());
            Ledger.check(message.contains("lacks ") || message.contains("damaged"),
                    "with an older log of the same run it says %s", message);
        }
    }

    /**
     * A folder, or a part of it, that an older copy replaces. A whole folder has what it had then. A part of one is
     * refused, or changes nothing, because the other part has the rest. After a crash of the machine, nothing outside
     * the log tells of its last updates, but its mark is that of an earlier run, unless no mark could be written.
     *
     * @param told the last update that something outside the log tells of
     */
    private void tryOlder(Start start, SimulatedDisk log, SimulatedDisk store, Optional<LogEnd> note, Found sound,
            long told) {
        Older then = older.orElseThrow();
        int part = random.nextInt(3);
        SimulatedDisk oldLog = (part == 1 ? log : then.log()).copy(faults);
        SimulatedDisk oldStore = (part == 0 ? store : then.store()).copy(faults);
        long marked = ForcedMark.read(oldLog, SimulatedBackend.ID).run();
        boolean earlier = marked >= 0 && marked < note.map(LogEnd::run).orElse(0L);
        String what = part == 0 ? "log" : part == 1 ? "store" : "folder";
        try {
            // The whole folder has its note, too (seed 1013).
            Found now = start.on(oldLog, oldStore, part == 2 ? then.note() : note);
            faults.note(Fault.OLDER_COPY_WITHOUT_EFFECT);
            Found wanted = part == 2 ? then.found() : sound;
            // A start may find an update that was refused, which the note says (seed 4596 with a mirror), even if the
            // log has cut it off since (seed 6020).
            boolean refused = note.filter(end -> end.most() <= now.revision()).isPresent();
            Ledger.check(now.hashes().equals(wanted.hashes())
                    || (part == 0 && (!earlier || refused) && sound.differsOnlyAfter(told, now)),
                    "with an older %s it starts with %s instead of %s", what, now, wanted);
        } catch (StorageException e) {
            faults.note(Fault.OLDER_COPY_REFUSED);
            String message = String.valueOf(e.getMessage());
            Ledger.check(part != 2, "an older folder does not start: %s", message);
            Ledger.check(message.contains("lacks ") || message.contains(" is missing") || message.contains("damaged"),
                    "with an older %s it says %s", what, message);
        }
        if (random.nextBoolean()) {
            older = Optional.empty();
        }
    }

    /**
     * Starts without something, which changes nothing or is refused.
     *
     * @param last no later update was acknowledged; {@link Long#MAX_VALUE} if nothing says that
     */
    private void tryWithout(String lost, Start start, SimulatedDisk logLeft, SimulatedDisk storeLeft,
            Optional<LogEnd> note,
            Found sound, long last) {
        boolean closed = last < Long.MAX_VALUE;
        try {
            Found now = start.on(logLeft, storeLeft, note);
            faults.note(Fault.LOST_WITHOUT_EFFECT);
            Ledger.check(now.hashes().equals(sound.hashes())
                    || (closed && sound.differsOnlyAfter(last, now))
                    || (!closed && lost.endsWith("log") && logLeft.fileNames().isEmpty())
                    || (!closed && lost.endsWith("segments")), "without %s it starts with %s instead of %s", lost, now,
                    sound);
        } catch (StorageException e) {
            faults.note(Fault.LOST_AND_REFUSED);
            String message = String.valueOf(e.getMessage());
            Ledger.check(message.contains("lacks ") || message.contains(" is missing") || message.contains("damaged"),
                    "without %s it says %s", lost, message);
        }
    }
}
