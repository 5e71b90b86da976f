package dev.weir.storage.mirror;

/** Runs the feeder of a mirror without its thread, for tests of other packages. */
public final class MirrorTurns {
    private MirrorTurns() {}

    /** Runs one turn. Returns false if it failed. */
    public static boolean turn(MirrorFeeder feeder) {
        return feeder.turn();
    }

    /** Ends the feeder like its thread. */
    public static void end(MirrorFeeder feeder) {
        feeder.detach();
    }
}
