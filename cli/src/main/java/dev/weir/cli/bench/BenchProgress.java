package dev.weir.cli.bench;

import java.time.Duration;
import java.util.Locale;

import dev.weir.cli.terminal.Terminal;
import dev.weir.load.Load;
import dev.weir.load.stream.LoadTiming;

/** One line on a terminal's standard error while a load runs: the time and the current rate. */
final class BenchProgress implements AutoCloseable {
    private static final Duration REDRAW = Duration.ofMillis(250);

    private final Terminal terminal;
    private final Load load;
    private final LoadTiming timing;
    private final Thread thread = Thread.ofPlatform().name("progress").daemon().unstarted(this::draw);

    private BenchProgress(Terminal terminal, Load load, LoadTiming timing) {
        this.terminal = terminal;
        this.load = load;
        this.timing = timing;
    }

    static BenchProgress of(Terminal terminal, Load load, LoadTiming timing) {
        return new BenchProgress(terminal, load, timing);
    }

    /** Starts to draw if standard error is a terminal. */
    void start() {
        if (terminal.draws()) {
            thread.start();
        }
    }

    private void draw() {
        long start = System.nanoTime();
        long answers = 0;
        long at = start;
        try {
            while (true) {
                Thread.sleep(REDRAW);
                long now = System.nanoTime();
                long more = load.answers();
                double seconds = (now - start) / 1e9 - timing.warmUp().toNanos() / 1e9;
                if (seconds < 0) {
                    terminal.err().print("\r\u001b[Kwarming up");
                } else {
                    terminal.err().printf(Locale.ROOT, "\r\u001b[K%.0f of %.0f s, %,.0f answers/s", seconds,
                            timing.measured().toNanos() / 1e9, (more - answers) / ((now - at) / 1e9));
                }
                terminal.err().flush();
                answers = more;
                at = now;
            }
        } catch (InterruptedException e) {
            terminal.err().print("\r\u001b[K");
            terminal.err().flush();
        }
    }

    /** Erases the line. */
    @Override
    public void close() {
        thread.interrupt();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
