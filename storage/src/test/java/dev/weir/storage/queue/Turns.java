package dev.weir.storage.queue;

import java.io.IOException;
import java.util.Optional;

/** A writer, a follower of the log and perhaps a mirror without threads. The test runs them turn by turn. */
public final class Turns {
    private final UpdateWriter writer;
    private final LogFollower follower;
    private final Optional<MirrorFeeder> mirror;

    public Turns(UpdateWriter writer, LogFollower follower, Optional<MirrorFeeder> mirror) {
        this.writer = writer;
        this.follower = follower;
        this.mirror = mirror;
        // A feeder that is to finish waits for no other thread.
        mirror.ifPresent(MirrorFeeder::finish);
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

    /** Runs one turn of the mirror. Returns false if it failed. */
    public boolean feedMirror() {
        return mirror.map(MirrorFeeder::turn).orElse(true);
    }

    /** Returns whether the mirror has another history than the store. */
    public boolean mirrorHasDiverged() {
        return mirror.map(MirrorFeeder::hasDiverged).orElse(false);
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
        mirror.ifPresent(MirrorFeeder::detach);
        follower.close();
    }
}
