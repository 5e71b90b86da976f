package dev.weir.cli;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import dev.weir.cli.MailFiles.UnusableException;
import dev.weir.scan.StorageException;
import org.jspecify.annotations.Nullable;

/**
 * Does one thing with many mails: several at a time, so that waiting for the storage costs little, and reported in the
 * order of the command line.
 *
 * @param <R> what is found out about a mail
 */
final class MailBatch<R> {
    /** Mails in work at a time: enough to hide a round trip to the storage, few enough for memory. */
    private static final int WINDOW = 16;

    private final Terminal terminal;
    private final String title;
    private final Work<R> work;
    private final Report<R> report;

    /** What is done with the bytes of a mail. */
    @FunctionalInterface
    interface Work<R> {
        R apply(byte[] mail) throws StorageException;
    }

    /** Prints what was found out about a mail and returns the status that it stands for. */
    @FunctionalInterface
    interface Report<R> {
        int apply(Path file, R result);
    }

    private record Pending<R>(Path file, Future<R> result) {}

    MailBatch(Terminal terminal, String title, Work<R> work, Report<R> report) {
        this.terminal = terminal;
        this.title = title;
        this.work = work;
        this.report = report;
    }

    /**
     * Goes through the mails. What cannot be used is reported and skipped; a storage that does not answer or refuses ends
     * the run, because it would do the same to every mail that follows.
     *
     * @return the least good status of all reports, or of the problems met
     * @throws FailedException if the storage ended the run
     */
    Outcome run(List<String> names) {
        final MailFiles mails = new MailFiles(names, terminal.in());
        int problems = ExitCode.OK;
        for (final String problem : mails.problems()) {
            terminal.error(problem);
            problems = ExitCode.INPUT;
        }
        final List<Path> files = mails.files();
        if (files.isEmpty() && problems == ExitCode.OK) {
            terminal.error("there is no mail in " + String.join(", ", names));
            problems = ExitCode.INPUT;
        }
        int matched = 0;
        try (ProgressBar bar = new ProgressBar(terminal.err(), title, files.size(),
                mails.folderNamed() && terminal.interactive());
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            final Queue<Pending<R>> pending = new ArrayDeque<>();
            int done = 0;
            for (int next = 0; next < files.size() || !pending.isEmpty();) {
                while (next < files.size() && pending.size() < WINDOW) {
                    final Path file = files.get(next++);
                    pending.add(new Pending<>(file, executor.submit(() -> work.apply(mails.read(file)))));
                }
                final Pending<R> oldest = pending.remove();
                try {
                    final R result = oldest.result().get();
                    bar.clear();
                    final int status;
                    try {
                        status = report.apply(oldest.file(), result);
                    } catch (final FailedException e) {
                        executor.shutdownNow();
                        throw e;
                    }
                    if (status == ExitCode.OK) {
                        matched++;
                    } else if (status != ExitCode.NO_MATCH) {
                        problems = ExitCode.worse(problems, status);
                    }
                } catch (final ExecutionException e) {
                    bar.clear();
                    if (!(e.getCause() instanceof UnusableException unusable)) {
                        executor.shutdownNow();
                        throw failure(e.getCause());
                    }
                    terminal.error(String.valueOf(unusable.getMessage()));
                    problems = ExitCode.INPUT;
                }
                bar.update(++done);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FailedException(ExitCode.SERVER, "interrupted");
        }
        return new Outcome(matched, problems);
    }

    private static RuntimeException failure(@Nullable Throwable cause) {
        return switch (cause) {
            case StorageException e -> Failures.of(e);
            case Error e -> throw e;
            case RuntimeException e -> e;
            case null, default -> new IllegalStateException(cause);
        };
    }

    /**
     * How a run ended.
     *
     * @param matched mails whose report was {@link ExitCode#OK}
     * @param problems {@link ExitCode#OK}, or the greatest status of what went wrong
     */
    record Outcome(int matched, int problems) {
        /** The status of a command that does something with every mail. */
        int status() {
            return problems;
        }

        /** The status of a command that looks for something: like {@code grep}, nothing found is no success. */
        int searchStatus() {
            return problems != ExitCode.OK ? problems : matched > 0 ? ExitCode.OK : ExitCode.NO_MATCH;
        }
    }
}
