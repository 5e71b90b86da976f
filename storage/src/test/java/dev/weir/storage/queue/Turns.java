package dev.weir.storage.queue;

import java.io.IOException;

/** A writer and a follower of the log without threads. The test runs them turn by turn. */
public final class Turns {
    private final UpdateWriter writer;
    private final LogFollower follower;

    public Turns(UpdateWriter writer, LogFollower follower) {
        this.writer = writer;
        this.follower = follower;
    }

    /** Runs one turn of the writer. */
    public void write() {
        writer.turn(0);
    }

    /** Ends the writer like its thread. */
    public void end() {
        writer.end();
    }

    /** Runs one turn of the follower. Returns false if backend or log failed. */
    public boolean feed() {
        return follower.turn();
    }

    /** Returns why the last turn of the follower failed. */
    public String failure() {
        return follower.failure();
    }

    /** Requests a sync in the next turn. */
    public void askForSync() {
        var _ = follower.sync();
    }

    /** Ends the follower like its thread. */
    public void endFollowing() throws IOException {
        follower.close();
    }
}
