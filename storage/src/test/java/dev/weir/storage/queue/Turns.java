package dev.weir.storage.queue;

import dev.weir.storage.log.LogReader;
import dev.weir.storage.log.UpdateLog;

/** The turns of a writer and a feeder that have no threads. */
public final class Turns {
    private final UpdateWriter writer;
    private final BackendFeeder feeder;
    private final LogReader reader;

    public Turns(UpdateWriter writer, BackendFeeder feeder, UpdateLog log) {
        this.writer = writer;
        this.feeder = feeder;
        this.reader = log.reader(log.applied() + 1);
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
