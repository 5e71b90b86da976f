package dev.weir.storage.log;

import java.util.List;
import java.util.Optional;

import dev.weir.storage.engine.Attachment;
import dev.weir.storage.engine.CheckpointPlace;
import dev.weir.storage.engine.EngineFiles;
import dev.weir.storage.engine.LastRun;

/** The state that outlives each run of a simulated storage: the disks of store and log, and the last time. */
final class SimulatedStore implements EngineFiles {
    private final CheckpointPlace place;
    private final SimulatedDisk disk;
    private final List<Attachment> attachments;
    private Optional<LastRun> lastRun = Optional.empty();
    private final SimulatedNote note = new SimulatedNote();

    SimulatedStore(CheckpointPlace place, SimulatedDisk disk, List<Attachment> attachments) {
        this.place = place;
        this.disk = disk;
        this.attachments = attachments;
    }

    /** Loses the file with the last time. */
    void loseLastRun() {
        lastRun = Optional.empty();
    }

    /** The machine crashes. */
    void crash() {
        note.crash();
    }

    /** Returns the same folder on other disks. */
    SimulatedStore copy(CheckpointPlace otherPlace, SimulatedDisk otherDisk, Optional<LogEnd> end) {
        SimulatedStore copy = new SimulatedStore(otherPlace, otherDisk, List.of());
        copy.lastRun = lastRun;
        end.ifPresent(copy.note::write);
        return copy;
    }

    @Override
    public CheckpointPlace openStore() {
        return place;
    }

    @Override
    public List<Attachment> attachments() {
        return attachments;
    }

    @Override
    public Disk openLog() {
        return disk;
    }

    /** Returns the note about the end of the log. */
    Optional<LogEnd> noted() {
        return note.read();
    }

    @Override
    public LogEndNote logEnd(long storageId) {
        return note;
    }

    @Override
    public boolean hasRun() {
        return note.read().isPresent();
    }

    @Override
    public Optional<LastRun> lastRun(long storageId) {
        return lastRun;
    }

    @Override
    public void saveLastRun(long storageId, LastRun last) {
        lastRun = Optional.of(last);
    }

    @Override
    public void close() {
        // It outlives the process.
    }
}
