package dev.weir.storage.queue;

import java.util.Optional;

import dev.weir.storage.checkpoint.Checkpointer;
import dev.weir.storage.log.LogConsumer;
import dev.weir.storage.mirror.MirrorFeeder;
import dev.weir.storage.mirror.MirrorTurns;

/** A writer, a writer of checkpoints and perhaps a mirror without threads. The test runs them turn by turn. */
public final class Turns {
    private final UpdateWriter writer;
    private final Checkpointer checkpointer;
    private final Optional<MirrorFeeder> mirror;

    public Turns(UpdateWriter writer, Checkpointer checkpointer, Optional<MirrorFeeder> mirror) {
        this.writer = writer;
        this.checkpointer = checkpointer;
        this.mirror = mirror;
        // A feeder that is to finish waits for no other thread.
        mirror.ifPresent(feeder -> feeder.finish(LogConsumer.FOREVER));
    }

    /** Runs one turn of the writer. */
    public void write() {
        writer.turn(0);
    }

    /** Ends the writer like its thread. */
    public void end() {
        writer.end();
    }

    /** Writes a checkpoint if it is due. Returns false if store or log failed. */
    public boolean feed() {
        return checkpointer.turn();
    }

    /** Runs one turn of the mirror. Returns false if it failed. */
    public boolean feedMirror() {
        return mirror.map(MirrorFeeder::turn).orElse(true);
    }

    /** Returns whether the mirror has another history than the store. */
    public boolean mirrorHasDiverged() {
        return mirror.map(MirrorFeeder::hasDiverged).orElse(false);
    }

    /** Returns why the last checkpoint failed. */
    public String failure() {
        return checkpointer.failure();
    }

    /** Requests a sync in the next turn. */
    public void askForSync() {
        var _ = checkpointer.sync();
    }

    /** Ends both like their threads. */
    public void endFollowing() {
        mirror.ifPresent(MirrorTurns::end);
        checkpointer.close();
    }
}
