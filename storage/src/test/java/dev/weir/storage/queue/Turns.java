package dev.weir.storage.queue;

import java.util.function.Consumer;
import java.util.function.LongSupplier;

import dev.weir.model.Update;
import dev.weir.storage.backend.Backend;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.log.LogReader;
import dev.weir.storage.log.UpdateLog;

/** Writer and feeder without threads and without the time of the machine: whoever holds this takes their turns. */
public final class Turns {
    private final UpdateQueue queue = new UpdateQueue(256);
    private final UpdateWriter writer;
    private final BackendFeeder feeder;
    private final LogReader reader;

    /**
     * Both, as a storage begins them behind a log that was opened.
     *
     * @param visible makes a change visible in the index, or fails
     */
    public Turns(UpdateLog log, HashIndex index, Consumer<Update> visible, Backend backend,
            UpdateWriter.Acknowledge acknowledge, Timing timing, StorageClock clock, LongSupplier nanos,
            RecentRequests recent) {
        this.writer = new UpdateWriter(queue, log, index, visible, acknowledge, timing, clock, nanos, recent, () -> {});
        this.feeder = new BackendFeeder(log, backend, timing, clock, nanos);
        this.reader = log.reader(log.applied() + 1);
    }

    public UpdateQueue queue() {
        return queue;
    }

    public UpdateWriter writer() {
        return writer;
    }

    /** One batch of what waits, and what else is due. */
    public void write() {
        writer.turn(0);
    }

    /** What the writer does before its thread ends. */
    public void end() {
        writer.end();
    }

    /** One sync; false when backend or log refused. */
    public boolean feed() {
        return feeder.turn(reader);
    }

    /** Why the last sync failed. */
    public String failure() {
        return feeder.failure();
    }

    public LogReader reader() {
        return reader;
    }
}
