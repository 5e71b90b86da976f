package dev.weir.cli.transfer;

import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.JsonLines;
import dev.weir.cli.terminal.Terminal;
import dev.weir.storage.StorageException;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.Omission;
import dev.weir.storage.transfer.Transfer;
import dev.weir.storage.transfer.TransferReport;

/** One run of a transfer, with its progress and report. */
final class TransferRun {
    private final Terminal terminal;
    private final TransferOptions options;
    private final PrintStream report;

    /** Prepares a run that reports to {@code report}. */
    TransferRun(Terminal terminal, TransferOptions options, PrintStream report) {
        this.terminal = terminal;
        this.options = options;
        this.report = report;
    }

    /** Runs the transfer and prints the report. The caller closes source and target. */
    int run(HashSource source, HashTarget target) {
        return run(source, target, "");
    }

    /**
     * Runs the transfer and prints the report. The caller closes source and target.
     *
     * @param ifEmpty a hint to append to the message that the source holds no hashes
     */
    int run(HashSource source, HashTarget target, String ifEmpty) {
        Transfer transfer = new Transfer(source, target, options.merge(), options.expiry(), options.restart());
        TransferReport done;
        try (TransferProgress progress = new TransferProgress(terminal)) {
            done = transfer.run(progress);
        } catch (StorageException e) {
            throw new FailedException(transfer.sourceFailed() ? ExitCode.INPUT : ExitCode.SERVER,
                    String.valueOf(e.getMessage()));
        }
        if (options.json()) {
            json(done);
        } else {
            text(done);
        }
        report.flush();
        if (done.read() == 0 && !done.resumed() && !done.doneBefore()) {
            terminal.err().println("weir: no hashes were found in " + done.source() + ifEmpty);
        }
        return ExitCode.OK;
    }

    private void json(TransferReport done) {
        JsonLines.line(report, generator -> {
            generator.writeStringProperty("source", done.source());
            generator.writeStringProperty("target", done.target());
            generator.writeBooleanProperty("dryRun", options.dryRun());
            generator.writeStringProperty("merge", options.merge().key());
            generator.writeBooleanProperty("resumed", done.resumed());
            generator.writeBooleanProperty("doneBefore", done.doneBefore());
            generator.writeNumberProperty("read", done.read());
            generator.writeNumberProperty("new", done.written().added());
            generator.writeNumberProperty("merged", done.written().merged());
            generator.writeNumberProperty("unchanged", done.written().unchanged());
            generator.writeObjectPropertyStart("leftOut");
            new TreeMap<>(done.omitted()).forEach((why, n) -> generator.writeNumberProperty(why.key(), n));
            generator.writeEndObject();
            generator.writeNumberProperty("seconds", done.time().toMillis() / 1e3);
            generator.writeNumberProperty("hashesPerSecond", Math.round(done.rate()));
        });
    }

    private void text(TransferReport done) {
        if (done.doneBefore()) {
            report.printf(Locale.ROOT,
                    "%s was already added to %s: nothing was done (--restart adds it again)%n",
                    done.source(), done.target());
            return;
        }
        report.printf(Locale.ROOT, "%s %s to %s in %.1f s (%d hashes/s)%s%n",
                options.dryRun() ? "dry run:" : "copied", done.source(), done.target(), done.time().toMillis() / 1e3,
                Math.round(done.rate()), done.resumed() ? ", continuing an earlier run" : "");
        report.printf(Locale.ROOT, "  read      %12d%n", done.read());
        report.printf(Locale.ROOT, "  new       %12d%n", done.written().added());
        report.printf(Locale.ROOT, "  merged    %12d%n", done.written().merged());
        report.printf(Locale.ROOT, "  unchanged %12d%n", done.written().unchanged());
        for (Map.Entry<Omission, Long> left : new TreeMap<>(done.omitted()).entrySet()) {
            report.printf(Locale.ROOT, "  left out  %12d %s%n", left.getValue(), left.getKey().words());
        }
    }
}
