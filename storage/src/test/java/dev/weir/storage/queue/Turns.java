package dev.weir.storage.queue;

import java.io.IOException;

/** The turns of a writer and of what follows the log, without threads. */
public final class Turns {
    private final UpdateWriter writer;
    private final LogFollower follower;

    public Turns(UpdateWriter writer, LogFollower follower) {
        this.writer = writer;
        this.follower = follower;
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
        return follower.turn();
    }

    /** Why the last sync failed. */
    public String failure() {
        return follower.failure();
    }

    /** Asks for a sync with the next turn. */
    public void askForSync() {
        var _ = follower.sync();
    }

    /** Ends what follows the log, as its thread does. */
    public void endFollowing() throws IOException {
        follower.close();
    }
}
