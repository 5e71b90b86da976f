package dev.weir.cli.mail;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.function.Function;

import dev.weir.cli.mail.MailFiles.UnusableException;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.ProgressBar;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.Terminal;
import dev.weir.hash.effort.NotHashedException;
import dev.weir.model.failure.Reason;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A run of one operation over many mails. It processes several mails at a time to hide the latency of the storage, and
 * reports them in the order of the command line.
 *
 * @param <R> the result for one mail
 */
final class MailBatch<R> {
    private static final Logger LOG = LoggerFactory.getLogger(MailBatch.class);

    /** Mails in progress at a time: enough to hide a round trip to the storage. */
    private static final int WINDOW = 16;

    /** Size limit for parallel work. Only one larger mail is in memory at a time. */
    private static final int LARGE_BYTES = 1 << 20;

    private final Terminal terminal;
    private final String title;
    private final Function<byte[], R> work;
    private final Report<R> report;
    private final Semaphore large = new Semaphore(1);

    /** Prints the result for a mail and returns its exit status. */
    @FunctionalInterface
    interface Report<R> {
        int apply(Path file, R result);
    }

    private record Pending<R>(Path file, Future<R> result) {}

    MailBatch(Terminal terminal, String title, Function<byte[], R> work, Report<R> report) {
        this.terminal = terminal;
        this.title = title;
        this.work = work;
        this.report = report;
    }

    /**
     * Processes the mails. Reports and skips unusable ones. If the storage refuses or does not answer, the run ends,
     * because every later mail would fail too. The report still includes mails in progress, so that a second run need
     * not learn them twice.
     *
     * @throws FailedException if the storage refuses or does not answer
     */
    Outcome run(List<String> names) {
        return run(names, new MailFiles(names, terminal.in()));
    }

    /** Processes the mails that names stand for, as {@link #run(List)} does. */
    Outcome run(List<String> names, MailFiles mails) {
        int problems = ExitCode.OK;
        for (String problem : mails.problems()) {
            terminal.error(problem);
            problems = ExitCode.INPUT;
        }
        List<Path> files = mails.files();
        if (files.isEmpty() && problems == ExitCode.OK) {
            terminal.error("there is no mail in " + String.join(", ", names));
            problems = ExitCode.INPUT;
        }
        int matched = 0;
        @Nullable
        FailedException failed = null;
        try (ProgressBar bar = new ProgressBar(terminal.err(), title, files.size(),
                mails.folderNamed() && terminal.draws());
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            Queue<Pending<R>> pending = new ArrayDeque<>();
            int done = 0;
            int next = 0;
            while (!pending.isEmpty() || (failed == null && next < files.size())) {
                while (failed == null && next < files.size() && pending.size() < WINDOW) {
                    Path file = files.get(next++);
                    pending.add(new Pending<>(file, executor.submit(() -> process(mails, file))));
                }
                Pending<R> oldest = pending.remove();
                bar.clear();
                try {
                    int status = report.apply(oldest.file(), oldest.result().get());
                    if (status == ExitCode.OK) {
                        matched++;
                    } else if (status != ExitCode.NO_MATCH) {
                        problems = ExitCode.worse(problems, status);
                    }
                } catch (ExecutionException e) {
                    switch (e.getCause()) {
                        case UnusableException unusable -> {
                            terminal.error(String.valueOf(unusable.getMessage()));
                            problems = ExitCode.worse(problems, ExitCode.INPUT);
                        }
                        case FailedException storage -> failed = failed == null ? storage : failed;
                        case Error error -> throw error;
                        case null, default -> throw new IllegalStateException(e.getCause());
                    }
                } catch (FailedException e) {
                    failed = failed == null ? e : failed;
                }
                bar.update(++done);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FailedException(ExitCode.SERVER, "interrupted");
        }
        if (failed != null) {
            throw failed;
        }
        return new Outcome(files.size(), mails.folderNamed(), matched, problems);
    }

    private R process(MailFiles mails, Path file) throws UnusableException, InterruptedException {
        if (mails.size(file) <= LARGE_BYTES) {
            return process(file, mails.read(file));
        }
        large.acquire();
        try {
            return process(file, mails.read(file));
        } finally {
            large.release();
        }
    }

    private R process(Path file, byte[] mail) throws UnusableException {
        try {
            return work.apply(mail);
        } catch (NotHashedException e) {
            throw new UnusableException(file + ": is not hashed: " + e.getMessage());
        } catch (FailedException e) {
            if (e.exitCode() == ExitCode.INPUT) {
                throw new UnusableException(file + ": " + e.getMessage());
            }
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            // A defect in this program must not stop the other mails.
            LOG.debug("a bug, found with {}", file, e);
            throw new UnusableException(file + ": cannot be analyzed: " + Reason.of(e));
        }
    }

    /**
     * The outcome of a run.
     *
     * @param mails all mails
     * @param ofFolder whether the command line names a folder
     * @param matched mails whose report was {@link ExitCode#OK}
     * @param problems {@link ExitCode#OK}, or the greatest status of all problems
     */
    record Outcome(int mails, boolean ofFolder, int matched, int problems) {
        /** Prints how many mails of a folder were processed: its list is too long to count. */
        Outcome total(Terminal terminal, String done) {
            if (ofFolder) {
                terminal.out().println(done + ' ' + matched + " of " + Reports.count(mails, "mail"));
            }
            return this;
        }

        /** Returns the status of a command that processes every mail. */
        int status() {
            return problems;
        }

        /** Returns the status of a search. Like {@code grep}, a search without a match is not a success. */
        int searchStatus() {
            return problems != ExitCode.OK ? problems : matched > 0 ? ExitCode.OK : ExitCode.NO_MATCH;
        }
    }
}
