package dev.weir.cli.transfer;

import java.time.Duration;
import java.util.Locale;

import dev.weir.cli.terminal.ProgressBar;
import dev.weir.cli.terminal.Terminal;
import dev.weir.storage.transfer.Transfer;
import org.jspecify.annotations.Nullable;

/** Progress of a transfer: a bar on a terminal, a line every ten seconds elsewhere. */
final class TransferProgress implements Transfer.Progress, AutoCloseable {
    private static final long LINE_NANOS = Duration.ofSeconds(10).toNanos();

    private final Terminal terminal;
    private @Nullable ProgressBar bar;
    private long lineAt = System.nanoTime();

    TransferProgress(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public void preparing(long done) {
        line(String.format(Locale.ROOT, "fetched %d keys", done));
    }

    @Override
    public void moving(long done, long total) {
        if (terminal.draws() && total > 0) {
            if (bar == null) {
                bar = new ProgressBar(terminal.err(), "hashes", total, true);
            }
            bar.update(done);
            return;
        }
        line(total > 0
                ? String.format(Locale.ROOT, "copied %d of about %d hashes", done, total)
                : String.format(Locale.ROOT, "copied %d hashes", done));
    }

    @Override
    public void finishing() {
        close();
        if (terminal.draws()) {
            terminal.err().println("weir: all hashes are read; completing indexes and syncing");
        } else {
            line("all hashes are read; completing indexes and syncing");
        }
    }

    private void line(String text) {
        long now = System.nanoTime();
        if (now - lineAt >= LINE_NANOS) {
            lineAt = now;
            terminal.err().println("weir: " + text);
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
