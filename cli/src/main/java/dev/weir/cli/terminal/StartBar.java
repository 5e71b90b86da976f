package dev.weir.cli.terminal;

import dev.weir.storage.engine.StartProgress;
import org.jspecify.annotations.Nullable;

/** A progress bar for the start of a storage. */
public final class StartBar implements StartProgress, AutoCloseable {
    private final Terminal terminal;
    private @Nullable ProgressBar bar;
    private String shown = "";

    public StartBar(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public void loading(long hashes, long of) {
        draw("Loading hashes", hashes, of);
    }

    @Override
    public void carrying(long hashes, long of) {
        draw("Taking over the database", hashes, of);
    }

    private void draw(String what, long done, long total) {
        if (bar == null || !what.equals(shown)) {
            bar = new ProgressBar(terminal.err(), what, total, terminal.draws());
            shown = what;
        }
        bar.update(done);
        if (done >= total) {
            // A log line follows.
            bar.clear();
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
