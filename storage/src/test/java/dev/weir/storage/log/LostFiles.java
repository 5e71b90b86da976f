package dev.weir.storage.log;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

import dev.weir.storage.StorageException;

/**
 * A test that loses one file of a copy of a storage, its whole log or its whole store, and starts there. The start has
 * the same hashes as without the loss, or is refused with a sentence that names what is missing.
 */
final class LostFiles {
    private final SplittableRandom random;
    private final Faults faults;

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
         * @param noted whether the note about the end of the log is there
         * @throws StorageException if it does not start
         */
        Found on(SimulatedDisk log, SimulatedDisk store, boolean noted) throws StorageException;
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

    /** Runs with a certain probability. */
    void tryOn(SimulatedDisk log, SimulatedDisk store, Start start) {
        if (random.nextInt(3) > 0 || !store.fileNames().contains(NamedSlots.MANIFEST)) {
            return;
        }
        Found sound;
        try {
            sound = start.on(log.copy(faults), store.copy(faults), true);
        } catch (StorageException e) {
            throw new AssertionError("a sound storage does not start", e);
        }
        SimulatedDisk logLeft = log.copy(faults);
        SimulatedDisk storeLeft = store.copy(faults);
        boolean noted = true;
        // The end of a log that was not closed may have updates that no client was told of.
        ForcedMark.Forced mark = ForcedMark.read(logLeft, SimulatedBackend.ID);
        boolean closed = mark.state() == ForcedMark.State.CLOSED;
        String lost;
        List<Segment> segments = Segment.among(logLeft.fileNames());
        switch (random.nextInt(6)) {
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
                noted = false;
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
        try {
            Found now = start.on(logLeft, storeLeft, noted);
            faults.note(Fault.LOST_WITHOUT_EFFECT);
            Ledger.check(now.hashes().equals(sound.hashes())
                    || (closed && sound.differsOnlyAfter(mark.revision(), now))
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
