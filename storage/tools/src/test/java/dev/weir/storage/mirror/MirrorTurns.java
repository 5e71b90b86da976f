package dev.weir.storage.mirror;

/** Ends the feeder of a mirror that runs without its thread, for tests of other packages. */
public final class MirrorTurns {
    private MirrorTurns() {}

    /** Ends the feeder like its thread. */
    public static void end(MirrorFeeder feeder) {
        feeder.detach();
    }
}
