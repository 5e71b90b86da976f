package dev.weir.storage.server;

import java.util.function.Consumer;

import dev.weir.storage.engine.StartProgress;

/** Reports the progress of a start in lines of the log, one for each hundred thousand hashes. */
final class LoggedStart implements StartProgress {
    private static final int STEP = 100_000;

    private final Consumer<String> log;
    private long loaded;
    private long carried;

    LoggedStart(Consumer<String> log) {
        this.log = log;
    }

    @Override
    public void loading(long hashes, long of) {
        loaded = report("loading", loaded, hashes, of);
    }

    @Override
    public void carrying(long hashes, long of) {
        carried = report("taking over the database", carried, hashes, of);
    }

    /** Returns the number of whole steps that are reported now. */
    private long report(String action, long reported, long hashes, long of) {
        long steps = hashes / STEP;
        if (steps > reported && hashes < of) {
            log.accept(action + ": " + hashes + " of " + of + " hashes");
        }
        return Math.max(steps, reported);
    }
}
