package dev.weir.cli.terminal;

import java.io.PrintStream;
import java.time.Duration;

/**
 * A one-line progress bar on standard error. It redraws in place, at most ten times a second, to keep its cost
 * negligible. It draws only on a terminal.
 */
public final class ProgressBar implements AutoCloseable {
    private static final int WIDTH = 30;
    private static final long REDRAW_NANOS = Duration.ofMillis(100).toNanos();

    private final PrintStream out;
    private final String what;
    private final long total;
    private final boolean visible;
    private long drawnAt;
    private boolean drawn;

    public ProgressBar(PrintStream out, String what, long total, boolean visible) {
        this.out = out;
        this.what = what;
        this.total = total;
        this.visible = visible;
        this.drawnAt = System.nanoTime() - REDRAW_NANOS;
    }

    /** Shows {@code done} of the total. */
    public void update(long done) {
        if (!visible || total <= 0) {
            return;
        }
        long now = System.nanoTime();
        if (now - drawnAt < REDRAW_NANOS && done < total) {
            return;
        }
        drawnAt = now;
        drawn = true;
        int filled = (int) (Math.min(done, total) * WIDTH / total);
        out.printf("\r\u001b[K%s [%s%s] %,d of %,d", what, "#".repeat(filled), ".".repeat(WIDTH - filled), done, total);
        out.flush();
    }

    /** Erases the bar to make room for a line of output. An {@link #update} draws it again when it is time. */
    public void clear() {
        if (drawn) {
            out.print("\r\u001b[K");
            out.flush();
            drawn = false;
        }
    }

    @Override
    public void close() {
        clear();
    }
}
